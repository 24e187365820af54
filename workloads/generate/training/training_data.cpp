#include "workloads/generate/training/training_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "engine/base/wide.hpp"
#include "workloads/generate/training/step_over_plan.hpp"
#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {

namespace {

/// As check_program() allows; more are refused before they are written.
constexpr std::int64_t max_reads = 65'536;
constexpr std::int64_t largest_dataset = std::int64_t{1} << 60;  ///< [B]

/// Of `bytes` the part that one member of a tensor- and context-parallel group reads.
std::int64_t part_of(std::int64_t bytes, const TrainingPlan& plan) {
  const std::int64_t members = std::int64_t{plan.tp} * plan.cp;
  return (bytes + members - 1) / members;
}

/// Cached samples are those that a later epoch finds.
void check_epoch(const Element& element, const TrainingData& data, ErrorList& errors) {
  const bool is_later = data.epoch == DataEpoch::later;
  for (const char* attribute : {"cache", "dataset"}) {
    const bool is_given = element.find(attribute) != nullptr;
    if (is_given && !is_later)
      errors.add(element.error_at(
          attribute, fmt::format("<data> attribute '{}': has no effect without epoch=\"later\"", attribute)));
    if (!is_given && is_later)
      errors.add(element.error_at(
          "epoch", fmt::format("<data> attribute 'epoch': 'later' needs '{}' (of what host memory keeps "
                               "'cache', of the samples 'dataset')",
                               attribute)));
  }
}

std::string note_of(const TrainingData& data, const TrainingPlan& plan, std::uint32_t stage) {
  const std::int64_t samples = plan.micro_batches() * plan.micro_batch;
  return fmt::format(
      "a later epoch finds {:.4g} % of the samples in the full caches of stage {}'s hosts: of {} samples "
      "of a step each GPU reads its part of {} from storage",
      100 * data.kept_share(stage), stage, samples, data.missed(samples, stage));
}

}  // namespace

Describe<TrainingData> data_parameters() {
  Describe<TrainingData> table;
  table
      .required("sample-size", &TrainingData::sample_size, "of one sequence, in storage", Bytes{1},
                Bytes{largest_operation_bytes})
      .choice("access", &TrainingData::access,
              "what a GPU reads lies one behind the other on one storage server, a read a micro-batch, or "
              "anywhere, a read a sample from one server after the other",
              {{"sharded", DataAccess::sharded}, {"shuffled", DataAccess::shuffled}})
      .choice("epoch", &TrainingData::epoch,
              "everything is read, or what host memory keeps of the epochs before is not",
              {{"first", DataEpoch::first}, {"later", DataEpoch::later}})
      .field("dataset", &TrainingData::dataset, "in a later epoch: all samples", Bytes{1},
             Bytes{largest_dataset})
      .field("cache", &TrainingData::cache,
             "in a later epoch: host memory of one server that keeps samples it has read", Bytes{1},
             Bytes{largest_dataset});
  describe_network(table, &TrainingData::network);
  return table;
}

std::optional<TrainingData> read_data(WorkloadContext& context) {
  const Element* found = storage_child(context, "data");
  if (!found) return std::nullopt;
  const Element& element = *found;
  TrainingData data;
  data_parameters().parse(element, data, context.errors);
  check_epoch(element, data, context.errors);
  context.require_storage(element, "<data>", data.network);
  if (context.hosts == 0)
    context.errors.add(element.error("<data> is copied from host memory, and the system has no <host>"));
  return data;
}

void place_data(TrainingData& data, const TrainingPlan& plan, WorkloadContext& context) {
  const Element& element = *context.element.child("data");
  if (plan.micro_batch > largest_operation_bytes / data.sample_size.value)
    return context.errors.add(element.error_at(
        "sample-size",
        fmt::format("<data> attribute 'sample-size': a micro-batch of {} samples has more than "
                    "{} bytes (no operation moves more)",
                    plan.micro_batch, largest_operation_bytes)));
  data.storage_servers = context.storage_on(data.network);
  std::vector<std::set<std::uint32_t>> servers(plan.pp);
  for (std::uint32_t gpu = 0; gpu < plan.pp * plan.stage_gpus() && gpu < context.servers.size(); ++gpu)
    servers[gpu / plan.stage_gpus()].insert(context.servers[gpu]);
  for (const auto& of_stage : servers)
    data.stage_servers.push_back(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(of_stage.size())));
  const std::uint32_t last = plan.pp - 1;
  if (data.access == DataAccess::shuffled) {
    const std::int64_t batches = plan.eval_interval > 0 ? 1 + std::int64_t{plan.eval_iters} : 1;
    const std::int64_t samples = batches * plan.micro_batches() * plan.micro_batch;
    const std::int64_t reads = std::max(data.missed(samples, 0), data.missed(samples, last));
    if (reads > max_reads)
      return context.errors.add(element.error_at(
          "access",
          fmt::format("<data> attribute 'access': 'shuffled' has {} reads a step and GPU{} (at most "
                      "{}); 'sharded' has one a micro-batch",
                      reads, batches > 1 ? ", those of an evaluation (eval-iters) included" : "",
                      max_reads)));
    context.job.note(
        "shuffled samples come from one storage server after the other, which stands for random places: each "
        "server gives as much");
  }
  if (plan.tp * plan.cp > 1)
    context.job.note(
        "the GPUs of a tensor- and context-parallel group read a part each of a sample; how they "
        "exchange these is left out");
  if (data.epoch == DataEpoch::later)
    for (const std::uint32_t stage : {0u, last}) context.job.note(note_of(data, plan, stage));
}

/// Sharded, the servers of a stage share the dataset; shuffled, each comes to read any part of it.
std::int64_t TrainingData::missed(std::int64_t samples, std::uint32_t stage) const {
  if (epoch == DataEpoch::first) return samples;
  const Wide all = dataset.value;
  const Wide kept = Wide{cache.value} * (access == DataAccess::sharded ? stage_servers[stage] : 1);
  return kept >= all ? 0 : static_cast<std::int64_t>((samples * (all - kept) + all - 1) / all);
}

double TrainingData::kept_share(std::uint32_t stage) const {
  if (epoch == DataEpoch::first) return 0;
  const double servers = access == DataAccess::sharded ? stage_servers[stage] : 1;
  return std::min(1.0, static_cast<double>(cache.value) * servers / static_cast<double>(dataset.value));
}

std::vector<DataRead> data_reads(const TrainingData& data, const TrainingPlan& plan, std::uint32_t stage,
                                 std::int64_t number) {
  const std::int64_t before = data.missed(number * plan.micro_batch, stage);
  const std::int64_t count = data.missed((number + 1) * plan.micro_batch, stage) - before;
  std::vector<DataRead> reads;
  if (data.access == DataAccess::sharded) {
    if (count > 0) reads.push_back({part_of(count * data.sample_size.value, plan), 0});
    return reads;
  }
  for (std::int64_t read = before; read < before + count; ++read)
    reads.push_back(
        {part_of(data.sample_size.value, plan), static_cast<std::uint32_t>(read % data.storage_servers)});
  return reads;
}

std::int64_t data_copy_bytes(const TrainingData& data, const TrainingPlan& plan) {
  return part_of(plan.micro_batch * data.sample_size.value, plan);
}

}  // namespace lightrail

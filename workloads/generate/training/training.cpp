#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/scenario/units.hpp"
#include "workloads/generate/training/fold_plan.hpp"
#include "workloads/generate/training/model_experts.hpp"
#include "workloads/generate/training/stage_program.hpp"
#include "workloads/generate/training/training_memory.hpp"
#include "workloads/generate/workload_kinds.hpp"
#include "workloads/job/transform_job.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

namespace {

/// Programs of later iterations hold no more operations together: a few gigabytes.
constexpr std::int64_t max_operations = 50'000'000;

void check_memory(const TrainingMemory& memory, const TrainingPlan& plan, std::uint32_t stage,
                  std::int64_t iteration, WorkloadContext& context) {
  if (context.gpu_memory_bytes == 0 || memory.total() <= context.gpu_memory_bytes) return;
  const std::string what =
      fmt::format("stage {} does not fit a GPU of {:.2f} GiB ({}){}", stage,
                  static_cast<double>(context.gpu_memory_bytes) / (1ll << 30), memory_table(memory),
                  iteration == 0 ? "" : fmt::format(" in iteration {}", iteration));
  switch (plan.memory_check) {
    case MemoryCheck::refuse:
      return context.errors.add(
          context.element.error("<workload> kind 'training': " + what +
                                (iteration == 0 ? "; lightrail plan looks for plans that fit" : "")));
    case MemoryCheck::warn:
      return context.job.note("by the estimate " + what);
  }
}

/// What GPUs are asked for; of a plan that runs though it does not fit, what they have.
std::int64_t asked_memory(const TrainingMemory& memory, const TrainingPlan& plan,
                          const WorkloadContext& context) {
  return plan.memory_check == MemoryCheck::refuse || context.gpu_memory_bytes == 0
             ? memory.total()
             : std::min<std::int64_t>(memory.total(), context.gpu_memory_bytes);
}

/// Iterations that have programs of their own: where loads drift on. What is wrong with the attribute is
/// said by who reads it.
std::int64_t different_iterations(const TrainingPlan& plan, const Element& workload) {
  const Attribute* text = workload.find("iterations");
  std::uint32_t count = 1;
  if (!text || !plan.gate.drifts_over_iterations || !parse_value(text->value, count).empty()) return 1;
  return std::max<std::int64_t>(1, count);
}

bool are_too_many(std::int64_t iterations, WorkloadContext& context) {
  std::int64_t operations = 0;
  for (const Program& program : context.job.job().programs.programs)
    operations += static_cast<std::int64_t>(program.ops.size());
  if (operations * iterations <= max_operations) return false;
  context.errors.add(context.element.child("gate")->error(
      fmt::format("<gate> over-iterations: each of {} iterations has {} operations of its own, together more "
                  "than {}",
                  iterations, operations, max_operations)));
  return true;
}

/// The programs of one iteration, one a stage: what the GPUs begin with, or go on with after those in `last`.
bool write_iteration(std::int64_t iteration, const Transformer& model, const TrainingPlan& plan,
                     const TrainingGroups& groups, std::vector<GateHistory>& histories,
                     std::vector<std::uint32_t>& last, WorkloadContext& context) {
  const std::size_t before = context.errors.size();
  std::vector<TrainingMemory> memory;
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage)
    check_memory(memory.emplace_back(training_memory(model, plan, stage)), plan, stage, iteration, context);
  if (context.errors.size() > before) return false;
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage) {
    Program program;
    try {
      program = write_stage(model, plan, groups, stage, context.job, histories[stage]);
    } catch (const InputErrors& problem) {
      context.errors.add(context.element.error("<workload> kind 'training': " + problem.errors()[0].what));
      return false;
    }
    program.memory_bytes = asked_memory(memory[stage], plan, context);
    if (iteration > 0) program.role += fmt::format(", iteration {}", iteration);
    const std::uint32_t index = context.job.program(std::move(program));
    if (iteration > 0) context.job.job().programs.programs[last[stage]].next = index;
    last[stage] = index;
  }
  return true;
}

void write_job(WorkloadContext& context) {
  std::size_t before = context.errors.size();
  Transformer model;
  TrainingPlan plan;
  const Element* element = context.element.child("model");
  if (!element) {
    context.errors.add(
        context.element.error("<workload> kind 'training' lacks its <model catalogue=\"models/...\"/>"));
    return;
  }
  read_transformer(*element, model, context.errors);
  if (context.errors.size() > before) return;
  plan.has_launch_times = context.has_launch_times;
  read_training_plan(context.element, model, context.gpu_count, context.algorithms, plan, context.errors);
  plan.learns_gate = context.learns_gate;
  plan.checkpoint = read_checkpoint(context, plan.counts_launches());
  plan.data = read_data(context);
  check_deepep_experts(model, context);
  if (has_pipeline(plan.step_over) && context.scenario.root.child("faults"))
    context.errors.add(context.element.error(
        "<workload> kind 'training': step-over with <faults>, which come at times of their own"));
  if (context.errors.size() > before) return;
  if (plan.checkpoint && plan.checkpoint->uses_threads()) {
    plan.launch_plan.settings.switch_interval = plan.checkpoint->switch_interval;
    context.job.note(
        "while a thread plans and serialises a checkpoint, each operation waits a whole switch interval for "
        "Python's interpreter: the thread is taken never to give it up earlier");
  }
  context.job.job().programs.host = plan.launch_plan.settings;
  if (plan.host_model == HostModel::automatic && !plan.counts_launches())
    context.job.note(
        "launching kernels takes no time: not every <host> says how long a launch takes ('launch')");
  if (const std::string note = step_over_note(plan); !note.empty()) context.job.note(note);
  if (const std::string note = fold_note(plan); !note.empty()) context.job.note(note);
  for (const char* dimension : {"tp", "dp", "ep", "pp"}) context.job.dimension(dimension);
  if (plan.cp > 1) context.job.dimension("cp");
  TrainingGroups groups = make_training_groups(model, plan, context);
  if (context.errors.size() > before) return;
  plan.ep_servers = servers_of_experts(groups, context);
  if (plan.data) place_data(*plan.data, plan, context);
  if (context.errors.size() > before) return;
  std::vector<GateHistory> histories(plan.pp);
  std::vector<std::uint32_t> last(plan.pp);
  if (!write_iteration(0, model, plan, groups, histories, last, context)) return;
  const std::uint32_t stage_gpus = plan.stage_gpus();
  for (std::uint32_t gpu = 0; gpu < plan.pp * stage_gpus; ++gpu)
    context.job.assign(gpu, last[gpu / stage_gpus]);
  const std::int64_t iterations = different_iterations(plan, context.element);
  if (iterations > 1 && are_too_many(iterations, context)) return;
  for (std::int64_t i = 1; i < iterations; ++i)
    if (!write_iteration(i, model, plan.of_iteration(i), groups, histories, last, context)) return;
}

void make_training(WorkloadContext& context) {
  const Attribute* gpus = context.element.find("gpus");
  if (!gpus || gpus->value == "all") return write_job(context);
  const std::size_t before = context.errors.size();
  std::vector<std::uint32_t> placement;
  if (const std::string problem = parse_gpu_list(gpus->value, context.gpu_count, placement); !problem.empty())
    return context.add_error(context.element, "gpus", problem);
  const auto count = static_cast<std::uint32_t>(placement.size());
  JobBuilder builder(count);
  std::vector<std::uint32_t> servers;
  for (std::uint32_t gpu : placement)
    if (gpu < context.servers.size()) servers.push_back(context.servers[gpu]);
  WorkloadContext part{context.element,
                       context.scenario,
                       count,
                       context.storage,
                       context.hosts,
                       context.gpu_memory_bytes,
                       std::move(servers),
                       context.has_launch_times,
                       context.algorithms,
                       builder,
                       context.errors,
                       context.seed,
                       nullptr,
                       context.learns_gate,
                       context.restarts};
  write_job(part);
  if (context.errors.size() > before) return;
  Job job = builder.take();
  try {
    place_job(job, placement, context.gpu_count);
  } catch (const InputErrors& problem) {
    return context.add_error(context.element, "gpus", problem.errors()[0].what);
  }
  context.job.job() = std::move(job);
}

}  // namespace

std::shared_ptr<const WorkloadKind> training_workload() {
  auto kind = workload_kind(
      "training",
      "Steps of training as Megatron-LM and FSDP have them; children: <model>, <gate>, <checkpoint>, <data>.",
      make_training);
  kind->parameters = [](const AlgorithmRegistry& algorithms) {
    return training_parameters(algorithms).documentation();
  };
  return kind;
}

}  // namespace lightrail

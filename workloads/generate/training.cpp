#include <fmt/format.h>

#include <algorithm>

#include "workloads/generate/stage_writer.hpp"
#include "workloads/generate/training_memory.hpp"
#include "workloads/pipeline_schedule.hpp"
#include "workloads/transform_job.hpp"
#include "workloads/workload_context.hpp"

namespace lightrail {

namespace {

TrainingGroups make_groups(const Transformer& model, const TrainingPlan& plan, WorkloadContext& context) {
  TrainingGroups groups;
  auto add = [&](const char* name, std::uint32_t count, std::uint32_t stride) -> GroupKindId {
    if (context.job.find_group(name).is_valid()) {
      context.errors.add(context.element.error(
          fmt::format("<groups> declares '{}', which a training workload makes itself", name)));
      return {};
    }
    if (count < 2) return {};
    GroupKind kind;
    kind.name = name;
    kind.digits = {{count, stride}};
    return context.job.group(std::move(kind));
  };
  groups.tp = add("tp", plan.tp, 1);
  const auto data = static_cast<std::uint32_t>(plan.data_gpus());
  if (plan.cp > 1) groups.cp = add("cp", plan.cp, plan.tp);
  groups.dp = add("dp", data, plan.tp);
  if (plan.shards_parameters) {
    const auto shard = static_cast<std::uint32_t>(plan.shard_gpus());
    groups.shard = shard == data ? groups.dp : add("shard", shard, plan.tp);
    if (shard < data) groups.replica = add("replica", data / shard, plan.tp * shard);
  }
  if (model.is_moe()) {
    const auto etp = static_cast<std::uint32_t>(plan.expert_tp());
    groups.etp = etp == plan.tp ? groups.tp : add("etp", etp, 1);
    groups.ep = add("ep", plan.ep, etp);
    groups.expert_dp = add("expert-dp", static_cast<std::uint32_t>(plan.expert_dp()), etp * plan.ep);
  }
  groups.pp = add("pp", plan.pp, plan.tp * data);
  if (model.tied_embeddings && plan.pp > 1) {
    GroupKind kind;
    kind.name = "embedding";
    std::uint32_t stage_gpus = plan.tp * plan.cp * plan.dp;
    for (std::uint32_t g = 0; g < stage_gpus; ++g)
      kind.listed.push_back({EndpointId{g}, EndpointId{g + (plan.pp - 1) * stage_gpus}});
    groups.embedding = context.job.group(std::move(kind));
  }
  return groups;
}

/// Where the parameters of a pass are gathered from, and how its gradients are reduced.
class StageParameterFlow {
 public:
  StageParameterFlow(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage,
                     StageWriter& writer)
      : plan_(plan), writer_(writer), parameters_(stage_parameters(model, plan, stage)) {}

  /// Before a pass of `layers`.
  void begin(const ChunkPass& pass, std::int64_t layers) {
    first_forward_ = plan_.overlap_parameters && pass.is_forward && pass.micro_batch == 0;
    if (first_forward_ && pass.chunk == 0) {
      // All of the stage one after the other, from the start of the step on.
      writer_.gather_parameters(parameters_.embedding, 0);
      for (std::int64_t l = 0; l < layers * plan_.chunks; ++l)
        writer_.gather_parameters(parameters_.dense_layer, parameters_.expert_layer);
      writer_.wait_for_parameters();
    }
    if (!plan_.shards_parameters) return;
    writer_.gather_parameters(parameters_.embedding, 0);
    writer_.gather_parameters(parameters_.dense_layer, 0);
    writer_.wait_for_parameters();
  }
  void before_layer(bool is_last) {
    if (plan_.shards_parameters && !is_last) writer_.gather_parameters(parameters_.dense_layer, 0);
    if (plan_.shards_parameters || first_forward_) writer_.wait_for_parameters();
  }
  void after_layer(const ChunkPass& pass) {
    if (pass.is_forward) return;
    if (plan_.shards_parameters)
      writer_.scatter_gradients(parameters_.dense_layer);
    else if (plan_.overlap_gradients && pass.micro_batch == plan_.micro_batches() - 1)
      writer_.reduce_gradients(parameters_.dense_layer, parameters_.expert_layer, true);
  }
  void end(const ChunkPass& pass) {
    if (plan_.shards_parameters && !pass.is_forward) writer_.scatter_gradients(parameters_.embedding);
  }
  void finish() {
    if (plan_.shards_parameters) return;
    if (plan_.overlap_gradients)
      writer_.reduce_gradients(parameters_.embedding, 0, true);
    else
      writer_.reduce_gradients(parameters_.dense(), parameters_.expert(), false);
  }

 private:
  const TrainingPlan& plan_;
  StageWriter& writer_;
  StageParameters parameters_;
  bool first_forward_ = false;
};

/// All micro-batches of one stage, the gradients and the optimiser.
Program write_stage(const Transformer& model, const TrainingPlan& plan, const TrainingGroups& groups,
                    std::uint32_t stage, JobBuilder& job) {
  StageWriter writer(model, plan, groups, stage, job);
  StageParameterFlow parameters(model, plan, stage, writer);
  bool is_first = stage == 0, is_last = stage + 1 == plan.pp;
  const std::uint32_t next = (stage + 1) % plan.pp, previous = (stage + plan.pp - 1) % plan.pp;
  const std::int64_t layers = plan.layers_of_chunk(model, stage);
  for (const ChunkPass& pass : interleaved_schedule(stage, plan.pp, plan.chunks, plan.micro_batches())) {
    const bool begins = is_first && pass.chunk == 0, ends = is_last && pass.chunk + 1 == plan.chunks;
    std::string name = fmt::format("{} {}", pass.is_forward ? "forward" : "backward", pass.micro_batch);
    if (plan.chunks > 1) name += fmt::format(" chunk {}", pass.chunk);
    writer.marker(name);
    parameters.begin(pass, layers);
    if (pass.is_forward) {
      if (begins)
        writer.embed();
      else
        writer.receive(previous, true);
      for (std::int64_t l = 0; l < layers; ++l) {
        parameters.before_layer(l + 1 == layers);
        writer.forward_layer();
      }
      if (ends)
        writer.head();
      else
        writer.send(next, true);
    } else {
      if (ends)
        writer.head_backward();
      else
        writer.receive(next, false);
      for (std::int64_t l = 0; l < layers; ++l) {
        parameters.before_layer(l + 1 == layers);
        writer.backward_layer();
        parameters.after_layer(pass);
      }
      if (begins)
        writer.embed_backward();
      else
        writer.send(previous, false);
    }
    parameters.end(pass);
  }
  writer.marker("gradients");
  parameters.finish();
  if (is_first || is_last) writer.reduce_tied_embedding();
  writer.optimizer_step();
  return writer.take();
}

void check_memory(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage,
                  WorkloadContext& context) {
  if (context.gpu_memory_bytes == 0) return;
  TrainingMemory memory = training_memory(model, plan, stage);
  if (memory.total() <= context.gpu_memory_bytes) return;
  context.errors.add(context.element.error(
      fmt::format("<workload> kind 'training': stage {} does not fit a GPU of {:.2f} GiB ({})", stage,
                  static_cast<double>(context.gpu_memory_bytes) / (1ll << 30), memory_table(memory))));
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
  read_training_plan(context.element, model, context.gpu_count, plan, context.errors);
  if (context.errors.size() > before) return;
  for (const char* dimension : {"tp", "dp", "ep", "pp"}) context.job.dimension(dimension);
  if (plan.cp > 1) context.job.dimension("cp");
  TrainingGroups groups = make_groups(model, plan, context);
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage) check_memory(model, plan, stage, context);
  if (context.errors.size() > before) return;
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage) {
    Program program = write_stage(model, plan, groups, stage, context.job);
    program.memory_bytes = training_memory(model, plan, stage).total();
    std::uint32_t index = context.job.program(std::move(program));
    std::uint32_t stage_gpus = plan.tp * plan.cp * plan.dp;
    for (std::uint32_t g = 0; g < stage_gpus; ++g) context.job.assign(stage * stage_gpus + g, index);
  }
}

}  // namespace

void make_training(WorkloadContext& context) {
  const Attribute* gpus = context.element.find("gpus");
  if (!gpus || gpus->value == "all") return write_job(context);
  const std::size_t before = context.errors.size();
  std::vector<std::uint32_t> placement;
  if (const std::string problem = parse_gpu_list(gpus->value, context.gpu_count, placement); !problem.empty())
    return context.add_error(context.element, "gpus", problem);
  const auto count = static_cast<std::uint32_t>(placement.size());
  JobBuilder builder(count);
  WorkloadContext part{context.element, context.scenario,         count,   context.storage_servers,
                       context.hosts,   context.gpu_memory_bytes, builder, context.errors};
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

}  // namespace lightrail

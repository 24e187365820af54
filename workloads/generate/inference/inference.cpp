#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/generate/inference/inference_plan.hpp"
#include "workloads/generate/inference/inference_requests.hpp"
#include "workloads/generate/inference/inference_writer.hpp"
#include "workloads/generate/training/model_experts.hpp"
#include "workloads/generate/workload_kinds.hpp"
#include "workloads/job/operation_names.hpp"

namespace lightrail {
namespace {

constexpr std::size_t steady_requests = 1000;  // of which a 99th percentile leaves out ten

const char* name_of(const ServingPool& pool) {
  return pool.prefills && pool.decodes ? "" : pool.prefills ? "prefill " : "decode ";
}

/// GPUs that differ in one digit of the replica's numbering, in all replicas.
GroupKindId add_group(const ServingPool& pool, const char* name, std::uint32_t count, std::uint32_t stride,
                      WorkloadContext& context) {
  const std::string full = name_of(pool) + std::string(name);
  if (context.job.find_group(full).is_valid())
    context.errors.add(context.element.error(
        fmt::format("<groups> declares '{}', which an inference workload makes itself", full)));
  if (count < 2) return {};
  GroupKind kind;
  kind.name = full;
  for (std::uint32_t g = 0; g < pool.gpus(); ++g) {
    if (g / stride % count != 0) continue;
    auto& list = kind.listed.emplace_back();
    for (std::uint32_t i = 0; i < count; ++i) list.emplace_back(pool.first_gpu + g + i * stride);
  }
  return context.job.group(std::move(kind));
}

/// Room for keys and values of a replica; a plan in which some request never fits is refused.
void find_room(const Transformer& model, const InferenceSpec& spec, ServingPlan& plan, ServingPool& pool,
               WorkloadContext& context) {
  std::int64_t longest = 0;
  for (const ServingRequest& r : plan.requests)
    longest = std::max(longest, plan.kv_room(std::int64_t{r.prompt} + (pool.decodes ? r.output : 1)));
  std::int64_t tokens = spec.kv_tokens > 0 ? spec.kv_tokens / pool.dp : std::int64_t{1} << 40;
  for (std::uint32_t stage = 0; stage < pool.pp && context.gpu_memory_bytes > 0; ++stage) {
    const InferenceMemory memory = inference_memory(model, spec, pool, stage, context.gpu_memory_bytes);
    tokens = std::min(tokens, memory.kv_tokens(spec.kv_block));
    if (memory.kv_tokens(spec.kv_block) >= longest) continue;
    context.errors.add(context.element.error(
        fmt::format("<workload> kind 'inference': a request of {} tokens does not fit a GPU of {:.2f} GiB "
                    "({}stage {}: {})",
                    longest, static_cast<double>(context.gpu_memory_bytes) / (1ll << 30), name_of(pool),
                    stage, memory_table(memory, spec.kv_block))));
    return;
  }
  pool.kv_tokens = tokens / spec.kv_block * spec.kv_block * pool.dp;
  if (pool.kv_tokens / pool.dp < longest)
    context.add_error(context.element, "kv-tokens",
                      fmt::format("a request of {} tokens does not fit {} tokens of a replica", longest,
                                  pool.kv_tokens / pool.dp));
}

void check_requests(const InferenceSpec& spec, const ServingPlan& plan, WorkloadContext& context) {
  // Every sequence at work gets its next token in every batch: vLLM refuses such settings too.
  if (spec.sequences > spec.batch_tokens)
    context.errors.add(context.element.error(fmt::format(
        "<workload> kind 'inference': sequences = {} is more than batch-tokens = {} (a batch has a "
        "token of every sequence)",
        spec.sequences, spec.batch_tokens)));
  if (spec.is_chunked) return;
  std::uint32_t longest = 0;
  for (const ServingRequest& r : plan.requests) longest = std::max(longest, r.prompt);
  if (longest > spec.batch_tokens)
    context.errors.add(context.element.error(
        fmt::format("<workload> kind 'inference': a prompt of {} tokens is more than batch-tokens = {}, and "
                    "chunked-prefill is off",
                    longest, spec.batch_tokens)));
}

/// A part of a request's keys and values moves as one message.
void check_moves(const ServingPlan& plan, WorkloadContext& context) {
  if (plan.pools.size() < 2) return;
  std::int64_t widest = 0, longest = 0;
  for (const KvRoute& route : kv_routes(plan, plan.pools[0], 0, plan.pools[1], 0, 0))
    widest = std::max(widest, route.bytes_per_token);
  for (const ServingRequest& r : plan.requests) longest = std::max<std::int64_t>(longest, r.prompt);
  if (widest > 0 && longest > ServingPlan::max_kv_move / widest)
    context.errors.add(context.element.error(fmt::format(
        "<workload> kind 'inference': keys and values of a prompt of {} tokens take {} B each between "
        "two GPUs (at most {} B in all)",
        longest, widest, ServingPlan::max_kv_move)));
}

void write_programs(const Transformer& model, const InferenceSpec& spec, ServingPlan& plan,
                    WorkloadContext& context) {
  plan.unit_of_shape.assign(context.job.job().programs.shapes.size(), BatchUnit::fixed);
  for (const ServingPool& pool : plan.pools) {
    InferenceGroups groups;
    groups.tp = add_group(pool, "tp", pool.tp, 1, context);
    if (pool.ep > 1) groups.ep = add_group(pool, "ep", pool.ep, 1, context);
    groups.pp = add_group(pool, "pp", pool.pp, pool.tp * pool.dp, context);
    for (std::uint32_t stage = 0; stage < pool.pp; ++stage) {
      InferenceWriter writer(model, spec, pool, groups, stage, plan, context.job);
      Program program = writer.write(fmt::format("{}stage {}", name_of(pool), stage));
      const InferenceMemory memory = inference_memory(model, spec, pool, stage, context.gpu_memory_bytes);
      if (context.gpu_memory_bytes > 0)
        program.memory_bytes =
            memory.weights + memory.activations + pool.kv_tokens / pool.dp * memory.kv_token;
      const std::uint32_t index = context.job.program(std::move(program));
      plan.programs.resize(index + 1);
      plan.programs[index] = writer.take_rules();
      const std::uint32_t stage_gpus = pool.tp * pool.dp;
      for (std::uint32_t g = 0; g < pool.gpus(); ++g)
        if (g / stage_gpus % pool.pp == stage) context.job.assign(pool.first_gpu + g, index);
    }
  }
}

void make_inference(WorkloadContext& context) {
  const std::size_t before = context.errors.size();
  const Element* element = context.element.child("model");
  if (!element)
    return context.errors.add(
        context.element.error("<workload> kind 'inference' lacks its <model catalogue=\"models/...\"/>"));
  Transformer model;
  InferenceSpec spec;
  read_transformer(*element, model, context.errors);
  inference_parameters().parse(context.element, spec, context.errors);
  check_deepep_experts(model, context);
  if (context.errors.size() > before) return;
  auto plan = std::make_shared<ServingPlan>();
  plan->pools = read_pools(context.element, model, context.gpu_count, context.errors);
  plan->requests = make_requests(context, plan->users);
  if (context.errors.size() > before) return;
  plan->batch_tokens = spec.batch_tokens, plan->sequences = spec.sequences, plan->kv_block = spec.kv_block;
  plan->is_chunked = spec.is_chunked;
  plan->layers = model.layers;
  plan->kv_heads = model.latent > 0 ? 1 : static_cast<std::uint32_t>(model.kv());
  plan->kv_head_bytes = model.kv_head_elements() * bytes_of(spec.kv_dtype);
  check_requests(spec, *plan, context);
  for (ServingPool& pool : plan->pools)
    if (context.errors.size() == before) find_room(model, spec, *plan, pool, context);
  if (context.errors.size() > before) return;
  check_moves(*plan, context);
  if (context.errors.size() > before) return;
  for (const char* dimension : {"tp", "ep", "pp"}) context.job.dimension(dimension);
  plan->kv_dimension = context.job.dimension("kv");
  if (context.gateways > 0) plan->users.dimension = context.job.dimension("users");
  if (plan->requests.size() < steady_requests)
    context.job.note(fmt::format(
        "percentiles are of {} requests, of which the first find the system empty: for a 99th one take {} or "
        "more, and see whether half as many give the same",
        plan->requests.size(), steady_requests));
  write_programs(model, spec, *plan, context);
  if (context.errors.size() == before) context.serving = std::move(plan);
}

}  // namespace

std::shared_ptr<const WorkloadKind> inference_workload() {
  auto kind = workload_kind(
      "inference", "Serves requests as they arrive, batch by batch; children: <model>, <requests>, <pool>.",
      make_inference);
  kind->parameters = [](const AlgorithmRegistry&) {
    std::vector<ParameterDoc> all = inference_parameters().documentation();
    for (ParameterDoc& own : replica_documentation()) all.push_back(std::move(own));
    return all;
  };
  kind->needs_scheduler = true;
  return kind;
}

}  // namespace lightrail

#include "workloads/generate/expected_traffic.hpp"

#include <map>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/operation_names.hpp"

namespace lightrail {

namespace {

__extension__ typedef __int128 Wide;

/// Times (n - 1) S that a group of n sends in a collective of size S.
int volume_factor(CollectiveType type) {
  switch (type) {
    case CollectiveType::all_reduce:
      return 2;
    case CollectiveType::all_gather:
    case CollectiveType::reduce_scatter:
    case CollectiveType::broadcast:
    case CollectiveType::all_to_all:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

std::vector<std::int64_t> expected_traffic(const Job& job) {
  GroupTable groups;
  for (const auto& kind : job.groups) groups.add(kind, job.gpu_count);
  // A member's part of a group's volume may be no whole number, so volumes x n are summed first, by
  // (dimension, n).
  std::map<std::pair<std::uint16_t, std::uint32_t>, Wide> times_n;
  std::vector<Wide> total(job.dimensions.size());
  for (std::uint32_t gpu = 0; gpu < job.gpu_count; ++gpu) {
    const Program& program = job.programs.programs[job.programs.program_of_gpu[gpu]];
    std::vector<std::uint32_t> size_of_group(job.groups.size());
    for (std::uint32_t k = 0; k < job.groups.size(); ++k)
      size_of_group[k] = groups.group_of(GroupKindId{k}, EndpointId{gpu}).size;
    for (const Op& op : program.ops) {
      if (op.kind == OpKind::send) total[op.dimension] += op.bytes;
      if (op.kind != OpKind::collective) continue;
      std::uint32_t n = size_of_group[op.group.value];
      if (n > 1) times_n[{op.dimension, n}] += Wide{volume_factor(op.collective)} * (n - 1) * op.bytes;
    }
  }
  for (auto& [key, volume] : times_n) total[key.first] += volume / key.second;
  std::vector<std::int64_t> bytes;
  for (Wide t : total) bytes.push_back(static_cast<std::int64_t>(t * job.programs.iterations));
  return bytes;
}

TrainingTraffic training_traffic(const Transformer& model, const TrainingPlan& plan) {
  const std::int64_t t = plan.tp, p = plan.pp, d = plan.dp, e = plan.ep, m = plan.micro_batches();
  const std::int64_t activation = 2 * plan.tokens() * model.hidden;  // of one micro-batch, BF16
  const bool is_again = plan.recompute == Recompute::full;
  TrainingTraffic bytes;

  // Tensor: volumes in activations sent (t - 1) times by the tp groups of a stage, of which there are d.
  // Attention: all-gather, reduce-scatter forward; both and one gather of the input again backward: 2 + 3.
  // Without sequence parallelism one all-reduce each way: 2 + 2. Experts gather and scatter k x tokens: 2k +
  // 2k.
  const std::int64_t forward = plan.sequence_parallel ? 2 : 2, backward = plan.sequence_parallel ? 3 : 2;
  std::int64_t layer_forward = 2 * forward, layer_backward = 2 * backward;
  if (model.is_moe()) {
    layer_forward = forward + 2 * model.active_experts;
    layer_backward = backward + 2 * model.active_experts;
  }
  std::int64_t stage_volumes =
      plan.layers_of_stage(model) * (layer_forward * (is_again ? 2 : 1) + layer_backward);
  // Embedding: reduce-scatter (all-reduce) forward, all-gather (nothing) backward: 2. Output layer: gather
  // forward, gather and scatter backward: 3; without sequence parallelism one all-reduce: 2.
  std::int64_t edge_volumes = 2 + (plan.sequence_parallel ? 3 : 2);
  std::int64_t losses = 3 * 2 * 4 * plan.tokens();  // three all-reduces of FP32 scalars
  bytes.tp = m * d * (t - 1) * ((p * stage_volumes + edge_volumes) * activation + losses);

  // Expert: dispatch and combine, forward and backward, of k x local tokens; every all-to-all sends (e - 1) /
  // e.
  if (model.is_moe() && e > 1) {
    std::int64_t calls = m * model.layers * (4 + (is_again ? 2 : 0));
    std::int64_t buffer = 2 * plan.local_tokens() * model.active_experts * model.hidden;
    bytes.ep = calls * (t * d / e) * (e - 1) * buffer;
  }

  // Pipeline: every chunk but the last one's GPUs send an activation forward, and one gradient comes back.
  bytes.pp = m * (p * plan.chunks - 1) * 2 * t * d * 2 * plan.local_tokens() * model.hidden;

  // Data: gradients reduced and parameters gathered over d (dense) and d / e (experts).
  const std::int64_t g = bytes_of(plan.gradients), de = plan.expert_dp();
  // Overlapped gradients are padded layer by layer, others once.
  auto volume = [&](std::int64_t layers, std::int64_t of_layer, std::int64_t rest, std::int64_t members) {
    std::int64_t once = padded_to(layers * of_layer + rest, members);
    std::int64_t reduced =
        plan.overlap_gradients ? layers * padded_to(of_layer, members) + padded_to(rest, members) : once;
    return (members - 1) * (plan.distributed_optimizer ? reduced * g + once * 2 : reduced * 2 * g);
  };
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage) {
    StageParameters s = stage_parameters(model, plan, stage);
    bytes.dp += t * volume(s.layers, s.dense_layer, s.embedding, d);
    if (model.is_moe()) bytes.dp += t * e * volume(s.layers, s.expert_layer, 0, de);
  }
  if (model.tied_embeddings && p > 1)
    bytes.dp += t * d * 2 * (padded_vocabulary(model, plan) / t) * model.hidden * g;
  return bytes;
}

}  // namespace lightrail

#include "workloads/generate/training/expected_traffic.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/wide.hpp"
#include "workloads/job/operation_names.hpp"
#include "workloads/program/iterations.hpp"

namespace lightrail {

namespace {

// -Wpedantic accepts the type in this spelling alone.

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
    case CollectiveType::barrier:
    case CollectiveType::none:
      return 0;
  }
  return 0;
}

/// What latent attention sends over tp for a layer and micro-batch, in volumes of a group. Forward latents,
/// the keys' part with positions and (without a latent of queries) the input are gathered, and the output is
/// scattered; backward its gradient is gathered, the latents again, and their gradients are scattered. What
/// multiplies latents out again gathers them again.
std::int64_t latent_volume(const Transformer& model, const TrainingPlan& plan) {
  const std::int64_t tokens = plan.tokens(), q = model.q_latent > 0 ? model.q_latent : model.hidden;
  const std::int64_t latents =
      plan.operand_bytes(tokens * q) + plan.operand_bytes(tokens * model.kv_latent());
  const std::int64_t positions = 2 * tokens * model.rope_dim, activation = 2 * tokens * model.hidden;
  const std::int64_t forward = latents + positions + activation;
  const std::int64_t backward =
      plan.operand_bytes(tokens * model.hidden) + latents + 2 * tokens * (q + model.kv_latent()) + positions;
  std::int64_t again = plan.recompute == Recompute::full ? forward : 0;
  if (plan.recompute == Recompute::light || plan.recomputes(recompute_module::mla_up_proj)) again = latents;
  return forward + backward + again;
}

}  // namespace

std::vector<std::int64_t> expected_traffic(const Job& job) {
  // Of iterations first ... first + times - 1, those that an operation takes place in.
  const auto due = [](const Op& op, std::uint32_t first, std::uint32_t times) {
    const auto until = [&](std::uint32_t end) { return (end + op.every - 1u - op.turn) / op.every; };
    return Wide{until(first + times) - until(first)};
  };
  GroupTable groups;
  for (const auto& kind : job.groups) groups.add(kind, job.gpu_count);
  // A member's part of a group's volume may be no whole number, so volumes x n are summed first, by
  // (dimension, n).
  std::map<std::pair<std::uint16_t, std::uint32_t>, Wide> times_n;
  std::vector<Wide> total(job.dimensions.size());
  std::vector<std::uint32_t> of_gpu = job.programs.program_of_gpu;
  for (std::uint32_t left = job.programs.iterations, times = 1; left > 0; left -= times) {
    const std::vector<std::uint32_t> now = of_gpu;
    times = go_on(job.programs, of_gpu) ? 1 : left;  // what is executed again is counted once
    for (std::uint32_t gpu = 0; gpu < job.gpu_count; ++gpu) {
      std::vector<std::uint32_t> size_of_group(job.groups.size());
      for (std::uint32_t k = 0; k < job.groups.size(); ++k)
        size_of_group[k] = groups.group_of(GroupKindId{k}, EndpointId{gpu}).size;
      for (const Op& op : job.programs.programs[now[gpu]].ops) {
        const Wide taken = due(op, job.programs.iterations - left, times);
        if (op.kind == OpKind::send) total[op.dimension] += Wide{op.bytes} * taken;
        if (op.kind != OpKind::collective) continue;
        const std::uint32_t n = size_of_group[op.group.value];
        if (n > 1)
          times_n[{op.dimension, n}] += Wide{volume_factor(op.collective)} * (n - 1) * op.bytes * taken;
      }
    }
  }
  for (auto& [key, volume] : times_n) total[key.first] += volume / key.second;
  std::vector<std::int64_t> bytes;
  for (Wide t : total) bytes.push_back(static_cast<std::int64_t>(t));
  return bytes;
}

TrainingTraffic training_traffic(const Transformer& model, const TrainingPlan& plan) {
  const std::int64_t t = plan.tp, p = plan.pp, d = plan.data_gpus(), e = plan.ep, m = plan.micro_batches();
  const std::int64_t k = plan.expert_tp(), layers = model.trained_layers();
  const std::int64_t activation = 2 * plan.tokens() * model.hidden;  // of one micro-batch, BF16
  const std::int64_t again = plan.recompute == Recompute::full ? 1 : 0;
  TrainingTraffic bytes;

  // Tensor: volumes in activations sent (t - 1) times by the tp groups of a stage, of which there are d.
  // Attention: all-gather, reduce-scatter forward; both and one gather of the input again backward: 2 + 3.
  // Without sequence parallelism one all-reduce each way: 2 + 2. A dense feed-forward does the same.
  // Quantised operands are gathered in fewer bytes, sums are scattered in 2 bytes.
  // Shared experts do too.
  // Layers with attention, or with a state space, which gathers and scatters as much; with a dense
  // feed-forward, which is a block of its own unless it is beside attention.
  std::int64_t with_attention = 0, with_dense = 0;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    with_attention += model.has_attention(layer) || model.is_mamba_layer(layer) ? 1 : 0;
    const bool has_shared = model.is_moe_layer(layer) && model.shared_experts > 0;
    with_dense += (model.has_feed_forward(layer) && !model.is_parallel) || has_shared ? 1 : 0;
  }
  const std::int64_t operand =
      plan.sequence_parallel ? plan.operand_bytes(plan.tokens() * model.hidden) : activation;
  const std::int64_t forward = operand + activation,
                     backward = activation + (plan.sequence_parallel ? 2 * operand : activation);
  const std::int64_t dense_again =
      plan.recomputes(recompute_module::mlp) ? layers - model.trained_moe_layers() : 0;
  // Without gradients of weights an input is gathered again for adapters alone.
  auto kept_back = [&](std::uint32_t module) {
    return plan.is_frozen() && plan.sequence_parallel && (plan.lora & module) == 0 ? operand : 0;
  };
  const std::int64_t attention =
      model.has_latent_attention() ? latent_volume(model, plan) : forward * (1 + again) + backward;
  const std::int64_t in_layers =
      with_attention * (attention - kept_back(lora_module::qkv)) +
      with_dense * (forward * (1 + again) + backward - kept_back(lora_module::fc1)) + dense_again * forward;
  // Embedding: reduce-scatter (all-reduce) forward, all-gather (nothing) backward: 2. Output layer: gather
  // forward, gather and scatter backward: 3; without sequence parallelism one all-reduce: 2. What predicts
  // further has both again.
  const std::int64_t heads = 1 + model.mtp_layers;
  std::int64_t edge_volumes = heads * (2 + (plan.sequence_parallel ? 3 : 2));
  if (plan.is_frozen() && plan.sequence_parallel) edge_volumes -= 2;  // of both tables
  // Stages send parts and gather them.
  if (plan.scatter_gather) edge_volumes += 2 * (p * plan.chunks - 1);
  const std::int64_t losses = heads * 3 * 2 * 4 * plan.tokens();  // three all-reduces of FP32 scalars
  bytes.tp = m * d * (t - 1) * (in_layers + edge_volumes * activation + losses);
  // Once a step an all-reduce of the gradients that each GPU has for its part of the sequence.
  for (std::uint32_t stage = 0; stage < p; ++stage)
    bytes.tp += d * (t - 1) * 2 * bytes_of(plan.gradients) *
                partial_gradients(plan, trained_parameters(model, plan, stage));

  if (model.is_moe()) {
    // Experts gather and scatter the tokens that came over their own k GPUs, 2 + 2 times.
    const std::int64_t arrived = 2 * plan.kept_tokens(model) * model.hidden, moe = model.trained_moe_layers();
    const std::int64_t dispatched = plan.kept_tokens(model) * plan.dispatch_bytes(model);
    bytes.tp += m * moe * (t * d / k) * (k - 1) * k * (2 + again) * (dispatched + arrived);
    // Dispatch and combine, forward and backward, of the local tokens; an all-to-all sends (e - 1) / e.
    bytes.ep = m * moe * (2 + again) * (t * d / e) * (e - 1) * (dispatched + arrived);
    if (plan.token_buffers == TokenBuffers::staged)
      bytes.ep += m * moe * (1 + again) * (t * d / e) * (e - 1) * plan.routing_map_bytes(model);
  }

  // Context: keys and values go round forward and, with their gradients, backward.
  if (plan.cp > 1) {
    const std::int64_t key_values = model.has_latent_attention()
                                        ? model.heads / t * (model.query_size() + model.value_size())
                                        : 2 * std::max<std::int64_t>(1, model.kv() / t) * model.head_size();
    const std::int64_t shifts = (plan.cp - 1) * (2 + again) +
                                (plan.recomputes(recompute_module::core_attn) ? plan.cp - 1 : 0) + plan.cp;
    bytes.cp = m * layers * t * d * shifts * 2 * plan.tokens() * key_values;
  }

  // Pipeline: every chunk but the last one's GPUs send an activation forward, and one gradient comes back.
  bytes.pp = m * (p * plan.chunks - 1) * 2 * t * d * plan.stage_message(model);

  // Data: gradients reduced and parameters gathered over d (dense) and over copies of an expert.
  const std::int64_t g = bytes_of(plan.gradients), de = plan.expert_dp();
  // Overlapped gradients are padded layer by layer, or bucket by bucket, others once.
  auto volume = [&](const std::vector<LayerParameters>& of_layers, std::int64_t LayerParameters::*part,
                    std::int64_t rest, std::int64_t members) {
    std::int64_t sum = rest, each = padded_to(rest, members);
    for (const LayerParameters& layer : of_layers) {
      sum += layer.*part;
      each += padded_to(layer.*part, members);
    }
    const std::int64_t once = padded_to(sum, members);
    std::int64_t reduced = plan.overlap_gradients ? each : once;
    if (const std::int64_t bucket = plan.bucket_size; bucket > 0)
      reduced = sum / bucket * padded_to(bucket, members) + padded_to(sum % bucket, members);
    const std::int64_t gathered = plan.overlap_parameters ? each : once;
    return (members - 1) * (plan.distributed_optimizer ? reduced * g + gathered * 2 : reduced * 2 * g);
  };
  if (plan.shards_parameters) {
    // Gathered in both passes of every micro-batch, in a pipeline once a step; gradients reduced over the
    // shard, then over its copies.
    const std::int64_t shard = plan.shard_gpus(), copies = d / shard, expert_shard = plan.expert_shard_gpus();
    const std::int64_t times = plan.keeps_gathered() ? 1 : m;
    auto sharded = [&](std::int64_t members, std::int64_t gathered, std::int64_t reduced) {
      const std::int64_t of_parameters = (plan.keeps_gathered() ? 1 : 2) * 2 * gathered;
      return times *
             (copies * (members - 1) * (of_parameters + g * reduced) + (copies - 1) * 2 * g * reduced);
    };
    for (std::uint32_t stage = 0; stage < p; ++stage) {
      const StageParameters s = stage_parameters(model, plan, stage);
      std::int64_t gathered = padded_to(s.embedding, shard), reduced = padded_to(s.embedding, d);
      std::int64_t expert_gathered = 0, expert_reduced = 0;
      for (const LayerParameters& layer : s.layers) {
        gathered += padded_to(layer.dense, shard), reduced += padded_to(layer.dense, d);
        expert_gathered += padded_to(layer.expert, expert_shard);
        expert_reduced += padded_to(layer.expert, de);
      }
      bytes.dp += t * sharded(shard, gathered, reduced);
      if (model.is_moe()) bytes.dp += k * e * sharded(expert_shard, expert_gathered, expert_reduced);
    }
    if (plan.copies_embedding(model))
      bytes.dp +=
          t * d * 2 * (padded_to(padded_vocabulary(model, plan) / t * model.hidden, shard) / shard) * g;
    return bytes;
  }
  // With two directions a stage and its mirror hold the same, and reduce it together.
  const std::int64_t shared = plan.gradient_gpus();
  for (std::uint32_t stage = 0; stage < p / plan.copies(); ++stage) {
    const StageParameters s = trained_parameters(model, plan, stage);
    bytes.dp += t * volume(s.layers, &LayerParameters::dense, s.embedding, shared);
    if (model.is_moe()) bytes.dp += k * e * volume(s.layers, &LayerParameters::expert, 0, de);
  }
  if (plan.copies_embedding(model) && !plan.is_frozen())
    bytes.dp += t * d * 2 * (padded_vocabulary(model, plan) / t) * model.hidden * g;
  return bytes;
}

}  // namespace lightrail

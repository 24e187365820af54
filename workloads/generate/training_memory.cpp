#include "workloads/generate/training_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/operation_names.hpp"

namespace lightrail {

std::int64_t layer_activation_bytes(const Transformer& model, const TrainingPlan& plan) {
  std::int64_t tokens = plan.tokens(), local = plan.local_tokens(), t = plan.tp;
  std::int64_t kv_width = std::max<std::int64_t>(1, model.kv() / t) * model.head_size();
  // Inputs of both norms, of the attention block and of the feed-forward: split over the sequence.
  std::int64_t elements = 4 * local * model.hidden;
  // Queries, keys, values and the attention's output: split over heads.
  elements += tokens * (2 * model.attention_width() / t + 2 * kv_width);
  std::int64_t rows = tokens, ffn = model.ffn / t;
  if (model.is_moe()) {
    rows = local * plan.expert_tp() * model.active_experts, ffn = model.ffn / plan.expert_tp();
    elements += 2 * rows * model.hidden;  // the experts' gathered inputs and their outputs
  }
  // The feed-forward before and after its activation function.
  elements += rows * (model.ffn_inputs() + 1) * ffn;
  std::int64_t bytes = 2 * elements;
  // Softmax and dropout of the scores with their mask, unless a fused kernel or the backward pass makes them.
  const std::int64_t scores = plan.micro_batch * model.heads / t * plan.sequence * plan.sequence;
  if (plan.kernels == Kernels::separate && plan.recompute == Recompute::none)
    bytes += (2 + (plan.dropout ? 3 : 0)) * scores;
  if (plan.dropout) bytes += 2 * local * model.hidden;  // two masks
  return bytes;
}

std::int64_t layer_weight_gradient_bytes(const Transformer& model, const TrainingPlan& plan) {
  const std::int64_t tokens = plan.tokens(), local = plan.local_tokens(), t = plan.tp;
  const std::int64_t q = model.attention_width() / t;
  const std::int64_t kv = std::max<std::int64_t>(1, model.kv() / t) * model.head_size();
  // The input and the output's gradient of each product; what is gathered for it is gathered again.
  std::int64_t elements = local * model.hidden + tokens * (q + 2 * kv) + tokens * (q + model.hidden);
  if (!model.is_moe()) {
    const std::int64_t ffn = model.ffn / t;
    return 2 * (elements + local * model.hidden + tokens * (model.ffn_inputs() * ffn + ffn + model.hidden));
  }
  const std::int64_t rows = local * plan.expert_tp() * model.active_experts,
                     ffn = model.ffn / plan.expert_tp();
  elements += rows * (model.hidden + model.ffn_inputs() * ffn + ffn + model.hidden);
  return 2 * (elements + local * (model.hidden + model.experts));
}

namespace {

std::int64_t held_activation_bytes(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  const std::int64_t layer = layer_activation_bytes(model, plan);
  const bool is_full = plan.recompute == Recompute::full;
  const std::int64_t kept = is_full ? 2 * plan.local_tokens() * model.hidden : layer;
  const std::int64_t at_work = is_full ? layer : 0;
  if (plan.schedule == Schedule::one_f_one_b)
    return plan.passes_in_flight(stage) * plan.layers_of_chunk(model, stage, 0) * kept + at_work;
  // A split backward pass keeps for the gradients of weights what they need.
  const std::int64_t owed = layer_weight_gradient_bytes(model, plan);
  std::int64_t held = 0, most = 0;
  for (const ChunkPass& pass : plan.passes(stage)) {
    const std::int64_t layers = plan.layers_of_chunk(model, stage, pass.chunk);
    if (pass.kind == PassKind::forward)
      held += layers * kept;
    else if (pass.kind == PassKind::weight_gradient)
      held -= layers * owed;
    else
      held -= layers * (kept - (pass.kind == PassKind::input_gradient ? owed : 0));
    most = std::max(most, held);
  }
  return most + at_work;
}

}  // namespace

TrainingMemory training_memory(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  TrainingMemory memory;
  StageParameters p = stage_parameters(model, plan, stage);
  if (plan.shards_parameters) {
    // A part of everything, and two layers whole: the one at work and the one that comes.
    const std::int64_t shard = plan.shard_gpus(), mine = padded_to(p.dense(), shard) / shard;
    memory.parameters = 2 * mine;
    memory.gradients = bytes_of(plan.gradients) * mine;
    memory.optimizer = 12 * mine;
    memory.buffers = (2 + bytes_of(plan.gradients)) * (2 * p.dense_layer + p.embedding);
  } else {
    std::int64_t dense_split = plan.distributed_optimizer ? plan.gradient_gpus() : 1;
    std::int64_t expert_split = plan.distributed_optimizer ? plan.expert_dp() : 1;
    memory.parameters = 2 * (p.dense() + p.expert());
    memory.gradients = bytes_of(plan.gradients) * (p.dense() + p.expert());
    memory.optimizer = 12 * (padded_to(p.dense(), dense_split) / dense_split +
                             padded_to(p.expert(), expert_split) / expert_split);
  }
  memory.activations = held_activation_bytes(model, plan, stage);
  // The last stage's logits and their gradient, FP32.
  if (stage + 1 == plan.pp || (plan.is_bidirectional() && stage == 0))
    memory.logits = 2 * 4 * plan.tokens() * (padded_vocabulary(model, plan) / plan.tp);
  return memory;
}

std::string memory_table(const TrainingMemory& m) {
  auto gib = [](std::int64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(std::int64_t{1} << 30);
  };
  return fmt::format(
      "parameters {:.2f} GiB, gradients {:.2f} GiB, optimiser {:.2f} GiB, activations {:.2f} GiB, logits "
      "{:.2f} GiB, buffers {:.2f} GiB: {:.2f} GiB",
      gib(m.parameters), gib(m.gradients), gib(m.optimizer), gib(m.activations), gib(m.logits),
      gib(m.buffers), gib(m.total()));
}

}  // namespace lightrail

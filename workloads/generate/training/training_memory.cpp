#include "workloads/generate/training/training_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/generate/training/held_activations.hpp"
#include "workloads/job/operation_names.hpp"

namespace lightrail {

namespace {

/// Elements of a token on one GPU: queries, keys, values and the attention's output, split over heads.
std::int64_t attention_elements(const Transformer& model, const TrainingPlan& plan) {
  std::int64_t kv_width = std::max<std::int64_t>(1, model.kv() / plan.tp) * model.head_size();
  return 2 * model.attention_width() / plan.tp + 2 * kv_width;
}

/// Of a GPU's heads together, which latent attention multiplies out of its latents: queries, keys and values.
std::int64_t unfolded_elements(const Transformer& model, const TrainingPlan& plan) {
  return model.heads / plan.tp * (2 * model.query_size() + model.value_size());
}

/// Of all tokens on one GPU: latents, each for its part of the sequence, and the keys' part with positions,
/// which is gathered.
std::int64_t latent_elements(const Transformer& model, const TrainingPlan& plan) {
  return plan.local_tokens() * (model.q_latent + model.kv_latent()) + plan.tokens() * model.rope_dim;
}

/// What an attention block keeps between the norm before it and the residual sum behind [B].
std::int64_t attention_bytes(const Transformer& model, const TrainingPlan& plan) {
  const std::int64_t tokens = plan.tokens();
  const std::int64_t values = model.heads / plan.tp * model.value_size();
  // The attention's output in two bytes, and as the product takes it where that is another type.
  std::int64_t bytes = plan.narrows_operands() ? plan.operand_bytes(tokens * values) : 0;
  if (model.has_latent_attention()) {
    // Inputs of the latents' norms, their outputs, and what is multiplied out of them.
    bytes += 2 * (latent_elements(model, plan) + tokens * (unfolded_elements(model, plan) + values));
    return bytes + plan.operand_bytes(plan.local_tokens() * (model.q_latent + model.kv_latent()));
  }
  bytes += 2 * tokens * attention_elements(model, plan);
  if (model.qk_norm)
    bytes += 2 * tokens * (attention_elements(model, plan) - model.attention_width() / plan.tp) -
             2 * tokens * std::max<std::int64_t>(1, model.kv() / plan.tp) * model.head_size();
  return bytes;
}

/// Of a dense feed-forward on one GPU, before and after its activation function.
std::int64_t feed_forward_elements(const Transformer& model, std::int64_t width) {
  return (model.ffn_inputs() + 1) * width;
}

/// Rows that the experts of one GPU work on.
std::int64_t expert_rows(const Transformer& model, const TrainingPlan& plan, double load) {
  const auto kept = static_cast<double>(plan.kept_tokens(model));
  return static_cast<std::int64_t>(std::ceil(kept * load - 1e-6)) * plan.expert_tp();
}

/// Of a layer: after attention and after the feed-forward, or after their sum, a byte an element (Korthikanti
/// et al. 2022).
std::int64_t dropout_mask_bytes(const Transformer& model, const TrainingPlan& plan) {
  return model.layer_norms() * plan.local_tokens() * model.hidden;
}

/// Of a feed-forward of this inner size [elements]: its activation function's input in two bytes, its output
/// as the product takes it [B].
std::int64_t inner_bytes(const Transformer& model, const TrainingPlan& plan, std::int64_t inner) {
  return 2 * model.ffn_inputs() * inner + plan.operand_bytes(inner);
}

/// Of a Mamba-2 block behind its norm: what the convolution takes, what the scan takes with the gate, its
/// output, and the normed one as the product takes it [B].
std::int64_t mamba_bytes(const Transformer& model, const TrainingPlan& plan) {
  const std::int64_t width = model.mamba_width() / plan.tp;
  const std::int64_t convolved = width + model.mamba_states() / plan.tp;
  return 2 * plan.tokens() * (model.mamba_inputs() / plan.tp + convolved + width) +
         plan.operand_bytes(plan.tokens() * width);
}

/// Parameters of the largest layer and its neighbour.
std::int64_t two_layers(const StageParameters& stage) {
  const std::vector<LayerParameters>& layers = stage.layers;
  auto whole = [](const LayerParameters& layer) { return layer.dense + layer.expert; };
  std::int64_t most = 2 * whole(layers.front());
  for (std::size_t l = 1; l < layers.size(); ++l)
    most = std::max(l == 1 ? 0 : most, whole(layers[l - 1]) + whole(layers[l]));
  return most;
}

}  // namespace

std::int64_t layer_activation_bytes(const Transformer& model, const TrainingPlan& plan, std::int64_t layer,
                                    double load) {
  const std::int64_t tokens = plan.tokens(), local = plan.local_tokens() * model.hidden, t = plan.tp;
  // Inputs of norms and what products take of their outputs, split over the sequence.
  std::int64_t bytes = model.layer_norms() * 2 * local;
  if (model.has_attention(layer)) bytes += plan.operand_bytes(local) + attention_bytes(model, plan);
  if (model.is_mamba_layer(layer)) bytes += plan.operand_bytes(local) + mamba_bytes(model, plan);
  if (model.is_moe_layer(layer)) {
    // The router takes two bytes. Experts' outputs are not kept: what comes out of the activation is weighed.
    const std::int64_t rows = expert_rows(model, plan, load), shared = tokens * (model.shared_width() / t);
    bytes += 2 * local + plan.operand_bytes(rows * model.hidden);
    bytes += inner_bytes(model, plan, rows * (model.ffn / plan.expert_tp()));
    if (shared > 0)
      bytes += (plan.narrows_operands() ? plan.operand_bytes(local) : 0) + inner_bytes(model, plan, shared);
  }
  if (model.has_feed_forward(layer)) {
    if (!model.is_parallel) bytes += plan.operand_bytes(local);
    bytes += inner_bytes(model, plan, tokens * (model.dense_width() / t));
  }
  // Softmax and dropout of the scores with their mask, unless a fused kernel or the backward pass makes them.
  const std::int64_t scores = plan.micro_batch * model.heads / t * plan.sequence * plan.sequence;
  if (plan.kernels == Kernels::separate && plan.recompute == Recompute::none)
    bytes += (2 + (plan.dropout ? 3 : 0)) * scores;
  if (plan.dropout) bytes += dropout_mask_bytes(model, plan);
  return bytes;
}

std::int64_t kept_activation_bytes(const Transformer& model, const TrainingPlan& plan, std::int64_t layer,
                                   double load) {
  const std::int64_t tokens = plan.tokens(), local = plan.local_tokens() * model.hidden, t = plan.tp;
  if (plan.recompute == Recompute::full) return 2 * local;
  if (plan.recompute == Recompute::light) return light_activation_bytes(model, plan, layer, load);
  std::int64_t bytes = layer_activation_bytes(model, plan, layer, load);
  using namespace recompute_module;
  const bool is_moe = model.is_moe_layer(layer);
  // Outputs that are made again.
  if (plan.recomputes(layernorm))
    bytes -= plan.operand_bytes(local) +
             (is_moe ? 2 * local : (model.layer_norms() - 1) * plan.operand_bytes(local));
  if (plan.recomputes(mla_up_proj)) bytes -= 2 * tokens * unfolded_elements(model, plan);
  if (plan.recomputes(moe_act) && is_moe)
    bytes -= plan.operand_bytes(expert_rows(model, plan, load) * (model.ffn / plan.expert_tp()));
  if (plan.recomputes(mlp) && !is_moe) bytes -= inner_bytes(model, plan, tokens * (model.dense_width() / t));
  return bytes;
}

std::int64_t light_activation_bytes(const Transformer& model, const TrainingPlan& plan, std::int64_t layer,
                                    double load) {
  const std::int64_t tokens = plan.tokens();
  const std::int64_t values = model.heads / plan.tp * model.value_size();
  std::int64_t bytes = model.layer_norms() * 2 * plan.local_tokens() * model.hidden;
  bytes += 2 * (model.has_latent_attention()
                    ? latent_elements(model, plan)
                    : tokens * (attention_elements(model, plan) - model.attention_width() / plan.tp));
  bytes += plan.operand_bytes(tokens * values);
  if (plan.dropout) bytes += dropout_mask_bytes(model, plan);
  auto inner = [&](std::int64_t width) { return model.ffn_inputs() * width; };
  if (!model.is_moe_layer(layer))
    return bytes + plan.operand_bytes(tokens * inner(model.dense_width() / plan.tp));
  const std::int64_t rows = expert_rows(model, plan, load);
  return bytes + plan.operand_bytes(rows * (model.hidden + inner(model.ffn / plan.expert_tp())) +
                                    tokens * inner(model.shared_width() / plan.tp));
}

std::int64_t layer_weight_gradient_bytes(const Transformer& model, const TrainingPlan& plan,
                                         std::int64_t layer, double load) {
  const std::int64_t tokens = plan.tokens(), local = plan.local_tokens(), t = plan.tp;
  // The input and the output's gradient of each product; what is gathered for it is gathered again.
  std::int64_t elements = 0;
  if (model.has_attention(layer) || model.is_mamba_layer(layer))
    elements = local * model.hidden + tokens * model.hidden;
  if (model.is_mamba_layer(layer)) {
    elements += tokens * (model.mamba_inputs() + model.mamba_width()) / t;
  } else if (model.has_attention(layer) && model.has_latent_attention()) {
    elements +=
        local * (2 * model.q_latent + model.latent + model.kv_latent()) +
        tokens * (model.heads / t) * (model.query_size() + model.head_size() + 2 * model.value_size());
  } else if (model.has_attention(layer)) {
    const std::int64_t kv = std::max<std::int64_t>(1, model.kv() / t) * model.head_size();
    elements += tokens * (2 * model.attention_width() / t + 2 * kv);
  }
  auto feed_forward = [&](std::int64_t width) { return feed_forward_elements(model, width) + model.hidden; };
  if (model.is_parallel)  // one input, one gradient of the output
    return plan.operand_bytes(elements + tokens * feed_forward_elements(model, model.ffn / t));
  if (!model.is_moe_layer(layer) && !model.has_feed_forward(layer)) return plan.operand_bytes(elements);
  if (!model.is_moe_layer(layer))
    return plan.operand_bytes(elements + local * model.hidden +
                              tokens * feed_forward(model.dense_width() / t));
  const std::int64_t rows = expert_rows(model, plan, load);
  elements += rows * (model.hidden + feed_forward(model.ffn / plan.expert_tp()));
  if (model.shared_experts > 0) elements += tokens * feed_forward(model.shared_width() / t);
  return plan.operand_bytes(elements + local * (model.hidden + model.experts));
}

TrainingMemory training_memory(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  TrainingMemory memory;
  StageParameters p = stage_parameters(model, plan, stage);
  if (plan.shards_parameters) {
    // A part of everything, and two layers whole: the one at work and the one that comes.
    const std::int64_t shard = plan.shard_gpus(), experts = plan.expert_shard_gpus();
    const std::int64_t mine = padded_to(p.dense(), shard) / shard + padded_to(p.expert(), experts) / experts;
    memory.parameters = 2 * mine;
    memory.gradients = bytes_of(plan.gradients) * mine;
    memory.optimizer = plan.optimizer_bytes() * mine;
    const std::int64_t gathered =
        plan.keeps_gathered() ? p.dense() + p.expert() : two_layers(p) + p.embedding;
    memory.buffers = (2 + bytes_of(plan.gradients)) * gathered;
  } else {
    std::int64_t dense_split = plan.distributed_optimizer ? plan.gradient_gpus() : 1;
    std::int64_t expert_split = plan.distributed_optimizer ? plan.expert_dp() : 1;
    memory.parameters = 2 * (p.dense() + p.expert());
    if (plan.is_frozen()) {
      p = trained_parameters(model, plan, stage);
      memory.parameters += 2 * p.dense();
    }
    memory.gradients = bytes_of(plan.gradients) * (p.dense() + p.expert());
    memory.optimizer = plan.optimizer_bytes() * (padded_to(p.dense(), dense_split) / dense_split +
                                                 padded_to(p.expert(), expert_split) / expert_split);
  }
  memory.activations = held_activation_bytes(model, plan, stage);
  // An offloaded state comes when the activations are gone.
  if (plan.offloads_optimizer)
    memory.optimizer = std::max<std::int64_t>(0, memory.optimizer - memory.activations);
  // The last stage's logits of every head: in two bytes, over which the loss writes their gradients;
  // separate: and the gradients of one, FP32.
  if (stage + 1 == plan.pp || (plan.is_bidirectional() && stage == 0)) {
    const std::int64_t heads = 1 + model.mtp_layers;
    memory.logits = (plan.kernels == Kernels::fused ? 2 * heads : 4 * (heads + 1)) * plan.tokens() *
                    (padded_vocabulary(model, plan) / plan.tp);
  }
  if (plan.checkpoint && plan.checkpoint->is_to_peers())
    memory.buffers += plan.checkpoint->buffers * plan.checkpoint->piece.value;
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

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {

namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::int64_t padded_vocabulary(const Transformer& model, const TrainingPlan& plan) {
  return rounded_up(model.vocabulary, std::int64_t{128} * plan.tp);
}

std::int64_t padded_to(std::int64_t parameters, std::int64_t members) {
  return rounded_up(parameters, members);
}

LayerParameters layer_parameters(const Transformer& model, const TrainingPlan& plan, std::int64_t layer) {
  LayerParameters p;
  // Matrices are split over tp; norms, the router and the biases of row-parallel layers are on every GPU.
  std::int64_t whole = model.layer_norms() * model.norm_parameters();
  if (model.is_mamba_layer(layer)) {
    p.dense = model.mamba_parameters() / plan.tp;
  } else if (!model.has_attention(layer)) {
    p.dense = 0;
  } else if (model.has_latent_attention()) {
    // Latents and their norms are whole, what multiplies them out is split over heads.
    const std::int64_t down = model.hidden * model.latent + model.kv_latent() +
                              (model.q_latent > 0 ? model.q_latent * (model.hidden + 1) : 0);
    p.dense = (model.attention_parameters() - down) / plan.tp;
    whole += down;
  } else {
    std::int64_t kv_width = std::max<std::int64_t>(1, model.kv() / plan.tp) * model.head_size();
    std::int64_t q_width = model.attention_width() / plan.tp;
    p.dense = model.hidden * (q_width + 2 * kv_width) + q_width * model.hidden;
    if (model.biases) p.dense += q_width + 2 * kv_width + model.hidden;
  }
  if (!model.has_latent_attention() && model.has_attention(layer)) whole += model.qk_norm_parameters();
  if (model.is_mtp_layer(layer)) whole += model.projection_parameters();
  if (model.is_moe_layer(layer)) whole += model.router_parameters();
  p.dense += whole;
  const bool has_dense = !model.is_moe_layer(layer) || model.shared_experts > 0;
  p.repeated = whole + (model.biases ? (has_dense ? 2 : 1) * model.hidden : 0);
  if (!model.is_moe_layer(layer)) {
    if (!model.has_feed_forward(layer)) return p;
    p.dense += model.feed_forward_parameters(model.dense_width() / plan.tp);
    return p;
  }
  if (model.shared_experts > 0) p.dense += model.feed_forward_parameters(model.shared_width() / plan.tp);
  p.expert = model.experts / plan.ep * model.feed_forward_parameters(model.ffn / plan.expert_tp());
  return p;
}

LayerParameters trained_layer_parameters(const Transformer& model, const TrainingPlan& plan,
                                         std::int64_t layer) {
  if (!plan.is_frozen()) return layer_parameters(model, plan, layer);
  const std::int64_t t = plan.tp, hidden = model.hidden, q = model.attention_width() / t;
  const std::int64_t kv = std::max<std::int64_t>(1, model.kv() / t) * model.head_size();
  const bool is_dense = !model.is_moe_layer(layer);
  const std::int64_t ffn = is_dense ? model.dense_width() / t : 0;
  LayerParameters p;
  // What lies at the unsplit side of a product is on every GPU of tp.
  auto add = [&](std::uint32_t module, std::int64_t split, bool exists) {
    if ((plan.lora & module) == 0 || !exists) return;
    p.dense += plan.lora_rank * (split + hidden);
    p.repeated += plan.lora_rank * hidden;
  };
  add(lora_module::qkv, q + 2 * kv, true);
  add(lora_module::proj, q, true);
  add(lora_module::fc1, model.ffn_inputs() * ffn, is_dense);
  add(lora_module::fc2, ffn, is_dense);
  return p;
}

StageParameters trained_parameters(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  StageParameters p = stage_parameters(model, plan, stage);
  if (!plan.is_frozen()) return p;
  std::size_t at = 0;
  for (std::uint32_t chunk = 0; chunk < plan.stage_chunks(); ++chunk)
    for (std::int64_t l = 0; l < plan.layers_of_chunk(model, stage, chunk); ++l)
      p.layers[at++] = trained_layer_parameters(model, plan, plan.first_layer(model, stage, chunk) + l);
  p.embedding = p.final_norm = 0;
  return p;
}

std::int64_t StageParameters::dense() const {
  return std::accumulate(layers.begin(), layers.end(), embedding,
                         [](std::int64_t sum, const LayerParameters& l) { return sum + l.dense; });
}

std::int64_t StageParameters::expert() const {
  return std::accumulate(layers.begin(), layers.end(), std::int64_t{0},
                         [](std::int64_t sum, const LayerParameters& l) { return sum + l.expert; });
}

std::int64_t StageParameters::repeated() const {
  return std::accumulate(layers.begin(), layers.end(), final_norm,
                         [](std::int64_t sum, const LayerParameters& l) { return sum + l.repeated; });
}

std::int64_t partial_gradients(const TrainingPlan& plan, const StageParameters& stage) {
  // Adapters' are partial sums even where every GPU has the whole sequence.
  if (plan.tp == 1 || (!plan.sequence_parallel && !plan.is_frozen())) return 0;
  const std::int64_t parts = plan.shards_parameters ? plan.shard_gpus() : 1;
  return padded_to(stage.repeated(), parts) / parts;
}

StageParameters stage_parameters(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  StageParameters p;
  for (std::uint32_t chunk = 0; chunk < plan.stage_chunks(); ++chunk)
    for (std::int64_t l = 0; l < plan.layers_of_chunk(model, stage, chunk); ++l)
      p.layers.push_back(layer_parameters(model, plan, plan.first_layer(model, stage, chunk) + l));
  std::int64_t table = padded_vocabulary(model, plan) / plan.tp * model.hidden;
  const bool is_edge = stage == 0 || stage + 1 == plan.pp;
  const bool is_first = plan.is_bidirectional() ? is_edge : stage == 0;
  const bool is_last = plan.is_bidirectional() ? is_edge : stage + 1 == plan.pp;
  if (is_first) p.embedding += table + model.positions * model.hidden;
  if (is_last) p.final_norm = model.norm_parameters();
  p.embedding += p.final_norm;
  if (is_last && (!is_first || !model.tied_embeddings)) p.embedding += table;
  if (is_last && !is_first && !model.tied_embeddings && model.mtp_layers > 0) p.embedding += table;
  return p;
}

}  // namespace lightrail

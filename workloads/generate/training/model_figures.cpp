#include "workloads/generate/training/model_figures.hpp"

#include <fmt/format.h>

#include <set>

#include "workloads/generate/training/training_memory.hpp"

namespace lightrail {

namespace {

/// Multiplications of a token by the matrices of one layer.
std::int64_t layer_multiplications(const Transformer& model, std::int64_t layer) {
  if (model.is_mamba_layer(layer)) {
    // Both projections, the convolution and the scan's products: scores of a group, states and outputs.
    const std::int64_t chunk = model.mamba_chunk, state = model.mamba_state;
    return model.hidden * (model.mamba_inputs() + model.mamba_width()) +
           (model.mamba_width() + model.mamba_states()) * model.mamba_conv +
           chunk * state * model.mamba_groups + model.mamba_width() * (chunk + 2 * state);
  }
  const std::int64_t norms = model.has_latent_attention() ? model.q_latent + model.kv_latent() : 0;
  const std::int64_t biases = model.biases ? model.qkv_width() + model.hidden : 0;
  std::int64_t sum = 0;
  if (model.has_attention(layer))
    sum = model.attention_parameters() - norms - biases - model.qk_norm_parameters();
  const std::int64_t of_width = (model.ffn_inputs() + 1) * model.hidden;
  if (model.has_feed_forward(layer)) sum += of_width * model.dense_width();
  if (!model.is_moe_layer(layer)) return sum;
  return sum + model.router_parameters() +
         of_width * (model.active_experts * model.ffn + model.shared_width());
}

/// Keys that a token attends to in the mean.
double mean_keys(const Transformer& model, std::int64_t layer, std::int64_t sequence) {
  const auto s = static_cast<double>(sequence), window = static_cast<double>(model.window);
  if (!model.is_windowed(layer) || window >= s) return s / 2;
  return (window * window / 2 + (s - window) * window) / s;
}

std::string billions(std::int64_t parameters) {
  return fmt::format("{:.3f}", static_cast<double>(parameters) * 1e-9);
}

double gib(std::int64_t bytes) {
  return static_cast<double>(bytes) / static_cast<double>(std::int64_t{1} << 30);
}

/// "0-2", or of every second layer "1, 3, ..., 47".
std::string layers_text(const Transformer& model) {
  const std::int64_t with_experts = model.moe_layers();
  std::string text = fmt::format("{} layers", model.layers);
  if (model.is_hybrid()) return text + ", " + model.pattern;
  if (model.is_moe() && with_experts < model.layers)
    text += fmt::format(", {} with experts{} and {} dense", with_experts,
                        model.expert_every > 1 ? fmt::format(" (each {})", model.expert_every) : "",
                        model.layers - with_experts);
  if (model.mtp_layers > 0) text += fmt::format("; {} to predict further (MTP)", model.mtp_layers);
  return text;
}

std::string attention_text(const Transformer& model) {
  std::string text = fmt::format("{} heads of {}", model.heads, model.head_size());
  if (model.has_latent_attention())
    text += fmt::format(" + {} in queries and keys, {} in values, latents of {} and {}", model.rope_dim,
                        model.value_size(), model.kv_latent(), model.q_latent);
  else
    text += fmt::format(", {} of keys and values", model.kv());
  if (model.window > 0) text += fmt::format(", window {}", model.window);
  return text;
}

std::string feed_forward_text(const Transformer& model) {
  std::string text = model.gated ? "gated, " : "";
  if (!model.is_moe()) return text + fmt::format("inner size {}", model.ffn);
  text += fmt::format("{} experts of {}, {} a token", model.experts, model.ffn, model.active_experts);
  if (model.shared_experts > 0) text += fmt::format(", shared {}", model.shared_width());
  if (model.has_dense_layers() && model.dense_ffn > 0)
    text += fmt::format(", dense layers {}", model.dense_ffn);
  return text;
}

std::string kind_of(const Transformer& model, std::int64_t layer) {
  if (model.is_mamba_layer(layer)) return "Mamba-2";
  if (model.is_hybrid() && model.has_attention(layer)) return "attention";
  if (model.is_hybrid()) return model.is_moe_layer(layer) ? "experts" : "feed-forward";
  return model.is_moe_layer(layer) ? "layer with experts" : "dense layer";
}

}  // namespace

std::vector<ModelPartParameters> model_parts(const Transformer& model) {
  std::int64_t moe = 0, dense = 0, attention = 0, mamba = 0;
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    moe += model.is_moe_layer(layer) ? 1 : 0, dense += model.has_feed_forward(layer) ? 1 : 0;
    attention += model.has_attention(layer) ? 1 : 0, mamba += model.is_mamba_layer(layer) ? 1 : 0;
  }
  const std::int64_t experts = moe * model.expert_parameters(), norms = model.norm_parameters();
  const auto both = [](const char* name, std::int64_t parameters) {
    return ModelPartParameters{name, parameters, parameters};
  };
  std::vector<ModelPartParameters> parts{
      both("embedding", model.embedding_parameters()),
      both("attention", attention * model.attention_parameters()),
      both("Mamba-2", mamba > 0 ? mamba * model.mamba_parameters() : 0),
      both("norms", (model.layers * model.layer_norms() + 1) * norms),
      both("dense feed-forward", dense * model.feed_forward_parameters(model.dense_width())),
      both("routers", moe * model.router_parameters()),
      both("shared experts",
           model.shared_experts > 0 ? moe * model.feed_forward_parameters(model.shared_width()) : 0),
      {"experts", experts * model.experts, experts * model.active_experts},
      both("output layer", model.tied_embeddings ? 0 : model.vocabulary * model.hidden)};
  std::erase_if(parts, [](const ModelPartParameters& part) { return part.parameters == 0; });
  return parts;
}

ModelFlops model_flops(const Transformer& model, std::int64_t sequence) {
  ModelFlops flops;
  const std::int64_t width = model.heads * (model.query_size() + model.value_size());
  const std::int64_t heads = 1 + model.mtp_layers;
  std::int64_t products = heads * model.vocabulary * model.hidden;
  products += model.mtp_layers * 2 * model.hidden * model.hidden;
  for (std::int64_t layer = 0; layer < model.trained_layers(); ++layer) {
    products += layer_multiplications(model, layer);
    if (model.has_attention(layer))
      flops.attention += 3 * 2 * static_cast<double>(width) * mean_keys(model, layer, sequence);
  }
  flops.products = 3 * 2 * static_cast<double>(products);
  return flops;
}

std::string model_text(const std::string& name, const Transformer& model) {
  std::string text = fmt::format("{}\n  {}, hidden {}, vocabulary {}{}\n", name, layers_text(model),
                                 model.hidden, model.vocabulary, model.tied_embeddings ? " (tied)" : "");
  text += fmt::format("  attention: {}{}\n  feed-forward: {}\n\n", attention_text(model),
                      model.is_parallel ? ", beside the feed-forward" : "", feed_forward_text(model));
  text += fmt::format("{:<20}{:>12}{:>12}{:>11}{:>13}{:>12}\n", "parameters [1e9]", "all", "a token's",
                      "weights", "gradients", "optimiser");
  const auto row = [&](const std::string& part, std::int64_t all, std::int64_t active) {
    text += fmt::format("  {:<18}{:>12}{:>12}{:>7.1f} GiB{:>9.1f} GiB{:>8.1f} GiB\n", part, billions(all),
                        billions(active), gib(2 * all), gib(4 * all), gib(12 * all));
  };
  for (const ModelPartParameters& part : model_parts(model)) row(part.name, part.parameters, part.active);
  row("together", model.total_parameters(), model.active_parameters());
  text +=
      "  weights of 2 bytes, gradients of 4, Adam's FP32 copy and moments of 12; what stages and groups\n"
      "  split, pad and copy: lightrail validate SCENARIO\n\n";
  text += fmt::format("{:<20}{:>12}{:>12}{:>12}  GFLOP a token, forward and backward\n", "sequence",
                      "products", "attention", "together");
  TrainingPlan plan;
  for (const std::int64_t sequence : {4096, 8192, 32'768}) {
    const ModelFlops flops = model_flops(model, sequence);
    text += fmt::format("  {:<18}{:>12.2f}{:>12.2f}{:>12.2f}\n", sequence, flops.products * 1e-9,
                        flops.attention * 1e-9, flops.total() * 1e-9);
  }
  text += "\nactivations [B a token], BF16, fused kernels, no recomputation\n";
  std::int64_t all = 0;
  std::set<std::string> kinds;
  const auto of_layer = [&](std::int64_t layer) {
    return layer_activation_bytes(model, plan, layer) / plan.tokens();
  };
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    all += of_layer(layer);
    if (const std::string kind = kind_of(model, layer); kinds.insert(kind).second)
      text += fmt::format("  {:<18}{:>12}\n", kind, of_layer(layer));
  }
  return text + fmt::format("  {:<18}{:>12}\n", "all layers", all);
}

}  // namespace lightrail

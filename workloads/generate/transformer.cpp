#include "workloads/generate/transformer.hpp"

#include <fmt/format.h>

namespace lightrail {

std::int64_t Transformer::attention_parameters() const {
  std::int64_t weights = hidden * qkv_width() + attention_width() * hidden;
  return weights + (biases ? qkv_width() + hidden : 0);
}

std::int64_t Transformer::norm_parameters() const {
  return biases ? 2 * hidden : hidden;
}

std::int64_t Transformer::router_parameters() const {
  return experts * hidden;
}

std::int64_t Transformer::expert_parameters() const {
  std::int64_t weights = (ffn_inputs() + 1) * hidden * ffn;
  return weights + (biases ? ffn_inputs() * ffn + hidden : 0);
}

std::int64_t Transformer::layer_parameters() const {
  std::int64_t feed_forward =
      is_moe() ? router_parameters() + experts * expert_parameters() : expert_parameters();
  return attention_parameters() + 2 * norm_parameters() + feed_forward;
}

std::int64_t Transformer::embedding_parameters() const {
  return (vocabulary + positions) * hidden;
}

std::int64_t Transformer::total_parameters() const {
  std::int64_t head = tied_embeddings ? 0 : vocabulary * hidden;
  return layers * layer_parameters() + embedding_parameters() + norm_parameters() + head;
}

std::int64_t Transformer::active_parameters() const {
  return total_parameters() - (is_moe() ? layers * (experts - active_experts) * expert_parameters() : 0);
}

Describe<Transformer> transformer_parameters() {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  auto one = std::int64_t{1}, none = std::int64_t{0};
  Describe<Transformer> table;
  table.required("layers", &Transformer::layers, "transformer layers", one, std::int64_t{10'000})
      .required("hidden", &Transformer::hidden, "hidden size", one, most)
      .required("heads", &Transformer::heads, "query heads", one, std::int64_t{65'536})
      .field("kv-heads", &Transformer::kv_heads, "key and value heads; 0: as many as query heads", none,
             std::int64_t{65'536})
      .field("head-dim", &Transformer::head_dim, "size of a head; 0: hidden / heads", none,
             std::int64_t{65'536})
      .required("ffn", &Transformer::ffn, "inner size of the feed-forward, or of one expert", one, most)
      .required("vocabulary", &Transformer::vocabulary, "tokens", one, most)
      .field("positions", &Transformer::positions, "learned position embeddings", none, most)
      .field("experts", &Transformer::experts, "experts of a layer; 0: dense", none, std::int64_t{65'536})
      .field("active-experts", &Transformer::active_experts, "experts a token goes to", none,
             std::int64_t{65'536})
      .field("gated", &Transformer::gated, "gated feed-forward (SwiGLU)")
      .field("biases", &Transformer::biases, "biases in linear layers and norms")
      .field("tied-embeddings", &Transformer::tied_embeddings, "the output layer is the input embedding");
  return table;
}

void read_transformer(const Element& model, Transformer& transformer, ErrorList& errors) {
  std::size_t before = errors.size();
  transformer_parameters().parse(model, transformer, errors);
  if (errors.size() > before) return;
  const Transformer& t = transformer;
  if (t.head_dim == 0 && t.hidden % t.heads != 0)
    errors.add(
        model.error(fmt::format("<model> hidden = {} is no multiple of heads = {}", t.hidden, t.heads)));
  if (t.heads % t.kv() != 0)
    errors.add(
        model.error(fmt::format("<model> heads = {} is no multiple of kv-heads = {}", t.heads, t.kv())));
  if (t.is_moe() && (t.active_experts < 1 || t.active_experts > t.experts))
    errors.add(
        model.error(fmt::format("<model> active-experts = {} of experts = {}", t.active_experts, t.experts)));
  if (!t.is_moe() && t.active_experts > 0)
    errors.add(model.error("<model> has active-experts but no experts"));
}

}  // namespace lightrail

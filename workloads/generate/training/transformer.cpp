#include "workloads/generate/training/transformer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lightrail {

std::int64_t Transformer::attention_parameters() const {
  if (has_latent_attention()) {
    // Down to the latents and their norms, up from them; the keys' part with positions comes straight.
    const std::int64_t queries = heads * query_size();
    const std::int64_t q = q_latent > 0 ? q_latent * (hidden + 1 + queries) : hidden * queries;
    const std::int64_t kv = hidden * latent + kv_latent() * (1 + heads * (head_size() + value_size()));
    return q + kv + heads * value_size() * hidden;
  }
  std::int64_t weights = hidden * qkv_width() + attention_width() * hidden;
  return weights + qk_norm_parameters() + (biases ? qkv_width() + hidden : 0);
}

std::int64_t Transformer::norm_parameters() const {
  return biases ? 2 * hidden : hidden;
}

std::int64_t Transformer::router_parameters() const {
  return experts * hidden;
}

std::int64_t Transformer::feed_forward_parameters(std::int64_t inner) const {
  std::int64_t weights = (ffn_inputs() + 1) * hidden * inner;
  return weights + (biases ? ffn_inputs() * inner + hidden : 0);
}

std::int64_t Transformer::mamba_parameters() const {
  // Both projections; the convolution with its bias; A, D and the step's bias of a head; the gated norm.
  const std::int64_t convolved = mamba_width() + mamba_states();
  return hidden * mamba_inputs() + mamba_width() * hidden + convolved * (mamba_conv + 1) + 3 * mamba_heads +
         mamba_width();
}

std::int64_t Transformer::layer_parameters(std::int64_t layer) const {
  std::int64_t sum = layer_norms() * norm_parameters();
  if (has_attention(layer)) sum += attention_parameters();
  if (is_mamba_layer(layer)) sum += mamba_parameters();
  if (has_feed_forward(layer)) sum += feed_forward_parameters(dense_width());
  if (is_moe_layer(layer)) {
    sum += router_parameters() + experts * expert_parameters();
    if (shared_experts > 0) sum += feed_forward_parameters(shared_width());
  }
  return sum;
}

std::int64_t Transformer::embedding_parameters() const {
  return (vocabulary + positions) * hidden;
}

std::int64_t Transformer::total_parameters() const {
  std::int64_t head = tied_embeddings ? 0 : vocabulary * hidden;
  std::int64_t sum = embedding_parameters() + norm_parameters() + head;
  for (std::int64_t layer = 0; layer < layers; ++layer) sum += layer_parameters(layer);
  return sum;
}

std::int64_t Transformer::projection_parameters() const {
  return 2 * hidden * hidden + 3 * norm_parameters();
}

std::int64_t Transformer::active_parameters() const {
  return total_parameters() - moe_layers() * (experts - active_experts) * expert_parameters();
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
      .field("node-limit", &Transformer::node_limit,
             "servers that a token's experts are on at most (node-limited routing); 0: any", none,
             ExpertCounts::max_servers)
      .field("latent", &Transformer::latent,
             "elements of a token that all heads cache together (MLA); 0: keys and values a head", none, most)
      .field("shared-experts", &Transformer::shared_experts, "experts that every token goes to", none,
             std::int64_t{1024})
      .field("shared-ffn", &Transformer::shared_ffn, "inner size of a shared expert; 0: ffn", none, most)
      .field("dense-layers", &Transformer::dense_layers,
             "first layers of a model with experts that have a dense feed-forward", none,
             std::int64_t{10'000})
      .field("expert-every", &Transformer::expert_every,
             "every so many-th layer has experts, counted over the model, the others a dense feed-forward",
             one, std::int64_t{10'000})
      .field("dense-ffn", &Transformer::dense_ffn, "inner size of the feed-forward of layers without experts",
             none, most)
      .field("rope-dim", &Transformer::rope_dim,
             "latent attention: elements of a head's query and of the shared key that carry positions", none,
             std::int64_t{65'536})
      .field("value-dim", &Transformer::value_dim,
             "latent attention: elements of a head's value; 0: head-dim", none, std::int64_t{65'536})
      .field("q-latent", &Transformer::q_latent,
             "latent attention: elements that queries are made of; 0: the hidden size, directly", none, most)
      .field("mtp-layers", &Transformer::mtp_layers,
             "modules that predict a token further each (multi-token prediction), trained with the model",
             none, std::int64_t{64})
      .field("window", &Transformer::window,
             "keys that a query sees in training, itself counted (sliding window); 0: all before it", none,
             most)
      .field("full-every", &Transformer::full_every,
             "with window: every so many-th layer sees all keys; 0: none does", none, std::int64_t{10'000})
      .field("pattern", &Transformer::pattern,
             "of a hybrid a letter a layer, each one block: M Mamba-2, * attention, - dense feed-forward, E "
             "experts; none: no hybrid")
      .field("mamba-heads", &Transformer::mamba_heads, "heads of a Mamba-2 block", none, std::int64_t{65'536})
      .field("mamba-head-dim", &Transformer::mamba_head_dim, "size of such a head", one, std::int64_t{65'536})
      .field("mamba-state", &Transformer::mamba_state, "elements of a state", one, std::int64_t{65'536})
      .field("mamba-groups", &Transformer::mamba_groups, "groups of heads that share a state's projections",
             one, std::int64_t{65'536})
      .field("mamba-conv", &Transformer::mamba_conv, "tokens that the convolution sees", one,
             std::int64_t{1024})
      .field("mamba-chunk", &Transformer::mamba_chunk, "tokens that are multiplied at once", one,
             std::int64_t{65'536})
      .field("parallel", &Transformer::is_parallel,
             "attention beside the feed-forward: both take the same norm's output, their sum is added")
      .field("qk-norm", &Transformer::qk_norm, "norms of every head's query and key")
      .field("clamped", &Transformer::clamped, "inputs of the gated activation are clamped (training)")
      .field("gated", &Transformer::gated, "gated feed-forward (SwiGLU)")
      .field("biases", &Transformer::biases, "biases in linear layers and norms")
      .field("tied-embeddings", &Transformer::tied_embeddings, "the output layer is the input embedding");
  return table;
}

namespace {

/// Parameters about, beyond what 64 bits count.
double rough_parameters(const Transformer& t) {
  const auto real = [](std::int64_t n) { return static_cast<double>(n); };
  const double experts = real(std::max<std::int64_t>(1, t.experts)) * real(std::max(t.ffn, t.dense_ffn)) +
                         real(t.shared_experts) * real(std::max(t.ffn, t.shared_ffn));
  const double heads = real(t.heads) * real(t.head_dim + t.rope_dim + t.value_dim) + real(t.hidden);
  const double latents = real(t.latent + t.q_latent);
  return real(t.layers + t.mtp_layers) *
             (real(t.hidden) * 3 * experts + (real(t.hidden) + latents) * 4 * heads) +
         2 * real(t.vocabulary + t.positions) * real(t.hidden);
}

template <class Refuse>
void check_pattern(const Transformer& t, const Refuse& refuse) {
  if (!t.is_hybrid()) {
    if (t.mamba_heads > 0) refuse("has mamba-heads but no pattern");
    return;
  }
  if (const auto bad = t.pattern.find_first_not_of("M*-E"); bad != std::string::npos)
    return refuse(fmt::format("pattern has '{}' (expected letters M, *, - and E)", t.pattern[bad]));
  if (static_cast<std::int64_t>(t.pattern.size()) != t.layers)
    return refuse(fmt::format("pattern has {} letters for layers = {}", t.pattern.size(), t.layers));
  const bool has_mamba = t.pattern.find('M') != std::string::npos,
             has_experts = t.pattern.find('E') != std::string::npos;
  if (has_mamba != (t.mamba_heads > 0))
    refuse(
        fmt::format("mamba-heads = {} with {} M in its pattern", t.mamba_heads, has_mamba ? "some" : "no"));
  if (has_mamba && t.mamba_heads % t.mamba_groups != 0)
    refuse(
        fmt::format("mamba-heads = {} is no multiple of mamba-groups = {}", t.mamba_heads, t.mamba_groups));
  if (has_experts != t.is_moe())
    refuse(fmt::format("experts = {} with {} E in its pattern", t.experts, has_experts ? "some" : "no"));
  if (t.dense_layers > 0 || t.expert_every > 1 || t.is_parallel || t.biases || t.mtp_layers > 0 ||
      t.window > 0 || t.rope_dim > 0)
    refuse(
        "a pattern with dense-layers, expert-every, parallel, biases, mtp-layers, window or latent "
        "attention");
}

}  // namespace

void read_transformer(const Element& model, Transformer& transformer, ErrorList& errors) {
  std::size_t before = errors.size();
  transformer_parameters().parse(model, transformer, errors);
  if (errors.size() > before) return;
  const Transformer& t = transformer;
  if (rough_parameters(t) > 1e15)
    return errors.add(
        model.error(fmt::format("<model> has about {:.0e} parameters (at most 1e15)", rough_parameters(t))));
  if (t.head_dim == 0 && t.hidden % t.heads != 0)
    errors.add(
        model.error(fmt::format("<model> hidden = {} is no multiple of heads = {}", t.hidden, t.heads)));
  if (t.heads % t.kv() != 0)
    errors.add(
        model.error(fmt::format("<model> heads = {} is no multiple of kv-heads = {}", t.heads, t.kv())));
  if (t.is_moe() && (t.active_experts < 1 || t.active_experts > t.experts))
    errors.add(
        model.error(fmt::format("<model> active-experts = {} of experts = {}", t.active_experts, t.experts)));
  auto refuse = [&](const std::string& what) { errors.add(model.error("<model> " + what)); };
  if (!t.is_moe() && t.active_experts > 0) refuse("has active-experts but no experts");
  if (!t.is_moe() && t.node_limit > 0) refuse("has node-limit but no experts");
  if (!t.is_moe() && (t.shared_experts > 0 || t.dense_layers > 0))
    refuse("has shared-experts or dense-layers but no experts");
  if (!t.is_moe() && t.expert_every > 1) refuse("has expert-every but no experts");
  if (t.shared_ffn > 0 && t.shared_experts == 0) refuse("has shared-ffn but no shared-experts");
  if (t.is_moe() && t.has_dense_layers() != (t.dense_ffn > 0)) {
    const std::string every = t.expert_every > 1 ? fmt::format(" and expert-every = {}", t.expert_every) : "";
    refuse(fmt::format("dense-layers = {}{} with dense-ffn = {} (expected both or neither)", t.dense_layers,
                       every, t.dense_ffn));
  }
  if (!t.is_moe() && t.dense_ffn > 0) refuse("has dense-ffn but no experts (expected ffn)");
  if (t.is_moe() && t.expert_every == 1 && t.dense_layers >= t.layers)
    refuse(fmt::format("dense-layers = {} leaves none of layers = {} to experts", t.dense_layers, t.layers));
  if (t.is_moe() && t.expert_every > 1 && t.moe_layers() == 0)
    refuse(fmt::format("expert-every = {} leaves none of layers = {} to experts", t.expert_every, t.layers));
  if (t.rope_dim == 0 && (t.value_dim > 0 || t.q_latent > 0))
    refuse("has value-dim or q-latent but no rope-dim (of latent attention)");
  if (t.rope_dim > 0 && t.latent <= t.rope_dim)
    refuse(fmt::format("latent = {} is no more than rope-dim = {}, which is a part of it", t.latent,
                       t.rope_dim));
  if (t.rope_dim > 0 && t.kv() != t.heads)
    refuse(fmt::format("kv-heads = {} with latent attention, whose {} heads all have keys", t.kv(), t.heads));
  if (t.full_every > 0 && t.window == 0) refuse("has full-every but no window");
  if (t.clamped && !t.gated) refuse(R"(has clamped="on" but gated="off")");
  check_pattern(t, refuse);
  if (t.is_parallel && (t.is_moe() || t.rope_dim > 0))
    refuse(R"(has parallel="on" with experts or latent attention)");
  if (t.rope_dim > 0 && (t.window > 0 || t.qk_norm)) refuse("latent attention with window or qk-norm");
  if (t.rope_dim > 0 && (t.biases || t.positions > 0))
    refuse("latent attention with biases or learned positions");
}

}  // namespace lightrail

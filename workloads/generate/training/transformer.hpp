#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "engine/model/describe.hpp"
#include "workloads/program/expert_counts.hpp"

namespace lightrail {

/// A decoder-only transformer, dense or mixture of experts: <model catalogue="models/mixtral_8x7b"/>.
struct Transformer {
  std::int64_t layers = 1, hidden = 1, heads = 1, kv_heads = 0, head_dim = 0, ffn = 1, vocabulary = 1;
  std::int64_t positions = 0;       ///< learned position embeddings; 0: none (rotary)
  std::int64_t experts = 0;         ///< of each layer; 0: dense
  std::int64_t active_experts = 0;  ///< experts a token goes to
  std::int64_t node_limit = 0;      ///< servers that these are on at most (node-limited routing); 0: any
  std::int64_t latent = 0;          ///< elements of a token that all heads cache together (MLA); 0: none
  std::int64_t shared_experts = 0;  ///< that every token goes to, beside the others
  std::int64_t shared_ffn = 0;      ///< inner size of one of them; 0: ffn
  std::int64_t dense_layers = 0;    ///< the first ones of a model with experts have a dense feed-forward
  std::int64_t dense_ffn = 0;       ///< its inner size
  /// After these every so many-th layer has experts, counted over the model, the others a dense feed-forward.
  std::int64_t expert_every = 1;
  /// Multi-head latent attention in full: queries and keys of a head have head_dim elements from the latent
  /// and rope_dim with positions (the keys' shared by all heads), values value_dim; queries come from a
  /// latent of q_latent (0: straight from the input).
  std::int64_t rope_dim = 0, value_dim = 0, q_latent = 0;
  /// Modules that predict a token further each, in training only (multi-token prediction, DeepSeek-V3, arXiv
  /// 2412.19437, section 2.2): both inputs' norms, a projection of these two, a layer as the last one, a norm
  /// and the output layer; both embedding tables are the model's. They count on as layers `layers` ...
  std::int64_t mtp_layers = 0;
  /// Keys before a query that it sees in training, itself counted; 0: all. Every full_every-th layer sees all
  /// (0: none does).
  std::int64_t window = 0, full_every = 0;
  /// Of a hybrid: a letter a layer, which is then one block with a norm of its own: M Mamba-2, * attention, -
  /// dense feed-forward, E experts (Nemotron-H, arXiv 2504.03624); "none": no hybrid.
  std::string pattern = "none";
  /// Mamba-2 (arXiv 2405.21060): heads of the state space and their size, elements of a state, groups that
  /// share its projections, width of the convolution, tokens that are multiplied at once.
  std::int64_t mamba_heads = 0, mamba_head_dim = 64, mamba_state = 128, mamba_groups = 8, mamba_conv = 4,
               mamba_chunk = 128;
  bool is_parallel = false;      ///< attention and feed-forward take one norm's output and are added
  bool qk_norm = false;          ///< norms of every head's query and key
  bool clamped = false;          ///< inputs of the gated activation are clamped, by kernels of their own
  bool gated = false;            ///< SwiGLU: three matrices of the feed-forward instead of two
  bool biases = false;           ///< biases in linear layers and norms
  bool tied_embeddings = false;  ///< output layer shares the input embedding

  [[nodiscard]] bool is_moe() const { return experts > 0; }
  [[nodiscard]] ExpertCounts expert_counts() const { return {active_experts, node_limit}; }
  /// Heads of keys and values.
  [[nodiscard]] std::int64_t kv() const { return kv_heads > 0 ? kv_heads : heads; }
  /// Elements of a head.
  [[nodiscard]] std::int64_t head_size() const { return head_dim > 0 ? head_dim : hidden / heads; }
  /// Elements of all heads' queries of a token.
  [[nodiscard]] std::int64_t attention_width() const { return heads * head_size(); }
  /// Elements of queries, keys and values of a token.
  [[nodiscard]] std::int64_t qkv_width() const { return (heads + 2 * kv()) * head_size(); }
  /// Cached elements of a token, layer and head of keys and values, or of the latent.
  [[nodiscard]] std::int64_t kv_head_elements() const { return latent > 0 ? latent : 2 * head_size(); }
  [[nodiscard]] bool has_latent_attention() const { return rope_dim > 0; }
  [[nodiscard]] std::int64_t kv_latent() const {
    return latent - rope_dim;
  }  ///< what keys and values are made of
  /// Elements of a head's query, with those that carry positions.
  [[nodiscard]] std::int64_t query_size() const { return head_size() + rope_dim; }
  /// Elements of a head's value.
  [[nodiscard]] std::int64_t value_size() const { return value_dim > 0 ? value_dim : head_size(); }
  /// Layers of mtp_layers are as the model's last one.
  [[nodiscard]] bool is_moe_layer(std::int64_t layer) const {
    if (is_mtp_layer(layer)) layer = layers - 1;
    if (is_hybrid()) return block(layer) == 'E';
    return is_moe() && layer >= dense_layers && (layer + 1) % expert_every == 0;
  }
  [[nodiscard]] bool is_hybrid() const { return pattern != "none"; }
  [[nodiscard]] char block(std::int64_t layer) const { return pattern[static_cast<std::size_t>(layer)]; }
  [[nodiscard]] bool is_mamba_layer(std::int64_t layer) const { return is_hybrid() && block(layer) == 'M'; }
  [[nodiscard]] bool has_attention(std::int64_t layer) const { return !is_hybrid() || block(layer) == '*'; }
  /// A dense feed-forward, beside or instead of attention.
  [[nodiscard]] bool has_feed_forward(std::int64_t layer) const {
    return is_hybrid() ? block(layer) == '-' : !is_moe_layer(layer);
  }
  /// Of all heads of a state space: a token's inputs, and the states' projections of both kinds.
  [[nodiscard]] std::int64_t mamba_width() const { return mamba_heads * mamba_head_dim; }
  [[nodiscard]] std::int64_t mamba_states() const { return 2 * mamba_groups * mamba_state; }
  /// What a token is projected to: a gate, inputs, states' projections, a step of every head.
  [[nodiscard]] std::int64_t mamba_inputs() const { return 2 * mamba_width() + mamba_states() + mamba_heads; }
  /// Layers with experts; those of mtp_layers are not counted.
  [[nodiscard]] std::int64_t moe_layers() const {
    if (is_hybrid()) return std::count(pattern.begin(), pattern.end(), 'E');
    return is_moe() ? layers / expert_every - std::min(layers, dense_layers) / expert_every : 0;
  }
  /// Some layers of a model with experts have none.
  [[nodiscard]] bool has_dense_layers() const {
    return dense_layers > 0 || expert_every > 1 || pattern.find('-') != std::string::npos;
  }
  [[nodiscard]] bool is_mtp_layer(std::int64_t layer) const { return layer >= layers; }
  /// Whether layer `layer` (from 0) sees `window` keys instead of all.
  [[nodiscard]] bool is_windowed(std::int64_t layer) const {
    return window > 0 && (full_every == 0 || (layer + 1) % full_every != 0);
  }
  /// Of both norms of heads, which all have the same.
  [[nodiscard]] std::int64_t qk_norm_parameters() const { return qk_norm ? 2 * head_size() : 0; }
  [[nodiscard]] std::int64_t trained_layers() const { return layers + mtp_layers; }
  [[nodiscard]] std::int64_t trained_moe_layers() const {
    return moe_layers() + (is_moe_layer(layers - 1) ? mtp_layers : 0);
  }
  [[nodiscard]] std::int64_t layer_norms() const { return is_parallel || is_hybrid() ? 1 : 2; }
  /// Inner size of a dense feed-forward, and of all shared experts together.
  [[nodiscard]] std::int64_t dense_width() const { return is_moe() ? dense_ffn : ffn; }
  [[nodiscard]] std::int64_t shared_width() const {
    return shared_experts * (shared_ffn > 0 ? shared_ffn : ffn);
  }
  [[nodiscard]] std::int64_t ffn_inputs() const { return gated ? 2 : 1; }  ///< matrices from hidden to ffn

  // Parameters, all of a layer or of the model; biases included where there are some.
  [[nodiscard]] std::int64_t attention_parameters() const;
  [[nodiscard]] std::int64_t norm_parameters() const;  ///< of one norm
  [[nodiscard]] std::int64_t router_parameters() const;
  [[nodiscard]] std::int64_t mamba_parameters() const;  ///< of a block without its norm
  /// Of a feed-forward of this inner size: an expert, the shared experts, or a dense one.
  [[nodiscard]] std::int64_t feed_forward_parameters(std::int64_t inner) const;
  [[nodiscard]] std::int64_t expert_parameters() const { return feed_forward_parameters(ffn); }
  /// Of layer `layer`, from 0, with all its experts.
  [[nodiscard]] std::int64_t layer_parameters(std::int64_t layer) const;
  [[nodiscard]] std::int64_t embedding_parameters() const;   ///< input embedding and positions
  [[nodiscard]] std::int64_t total_parameters() const;       ///< without mtp_layers
  [[nodiscard]] std::int64_t projection_parameters() const;  ///< of a module of mtp_layers beside its layer
  [[nodiscard]] std::int64_t active_parameters() const;      ///< that one token meets
};

/// Attributes of <model>.
[[nodiscard]] Describe<Transformer> transformer_parameters();

/// Reads <model>; checks what the parts' own ranges cannot (heads divide, experts complete).
void read_transformer(const Element& model, Transformer& transformer, ErrorList& errors);

}  // namespace lightrail

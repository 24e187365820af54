#pragma once
#include <cstdint>
#include <string>

#include "engine/model/describe.hpp"

namespace lightrail {

/// A decoder-only transformer, dense or mixture of experts: <model catalogue="models/mixtral_8x7b"/>.
struct Transformer {
  std::int64_t layers = 1, hidden = 1, heads = 1, kv_heads = 0, head_dim = 0, ffn = 1, vocabulary = 1;
  std::int64_t positions = 0;       ///< learned position embeddings; 0: none (rotary)
  std::int64_t experts = 0;         ///< of each layer; 0: dense
  std::int64_t active_experts = 0;  ///< experts a token goes to
  bool gated = false;               ///< SwiGLU: three matrices of the feed-forward instead of two
  bool biases = false;              ///< biases in linear layers and norms
  bool tied_embeddings = false;     ///< output layer shares the input embedding

  bool is_moe() const { return experts > 0; }
  std::int64_t kv() const { return kv_heads > 0 ? kv_heads : heads; }
  std::int64_t head_size() const { return head_dim > 0 ? head_dim : hidden / heads; }
  std::int64_t attention_width() const { return heads * head_size(); }
  std::int64_t qkv_width() const { return (heads + 2 * kv()) * head_size(); }
  std::int64_t ffn_inputs() const { return gated ? 2 : 1; }  ///< matrices from hidden to ffn

  // Parameters, all of a layer or of the model; biases included where there are some.
  std::int64_t attention_parameters() const;
  std::int64_t norm_parameters() const;  ///< of one norm
  std::int64_t router_parameters() const;
  std::int64_t expert_parameters() const;  ///< of one expert, or of the dense feed-forward
  std::int64_t layer_parameters() const;
  std::int64_t embedding_parameters() const;  ///< input embedding and positions
  std::int64_t total_parameters() const;
  std::int64_t active_parameters() const;  ///< that one token meets
};

Describe<Transformer> transformer_parameters();

/// Reads <model>; checks what the parts' own ranges cannot (heads divide, experts complete).
void read_transformer(const Element& model, Transformer& transformer, ErrorList& errors);

}  // namespace lightrail

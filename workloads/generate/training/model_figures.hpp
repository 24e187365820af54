#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/generate/training/transformer.hpp"

namespace lightrail {

/// A part of a model: all its parameters, and those that one token meets.
struct ModelPartParameters {
  std::string name;
  std::int64_t parameters = 0, active = 0;
};

/// What a model is made of, without mtp_layers: embedding, attention, norms, dense feed-forwards, routers,
/// shared and routed experts, output layer; parts that it has not are left out.
[[nodiscard]] std::vector<ModelPartParameters> model_parts(const Transformer& model);

/// Floating-point operations of a token in a step of training: two a multiplication, the backward pass
/// counted as twice the forward one, nothing that is computed again. `products`: of matrices, with the output
/// layer and what mtp_layers have. `attention`: scores and sums of values over the keys that a causal mask
/// leaves, half of a sequence of so many tokens.
struct ModelFlops {
  double products = 0, attention = 0;
  [[nodiscard]] double total() const { return products + attention; }
};
[[nodiscard]] ModelFlops model_flops(const Transformer& model, std::int64_t sequence);

/// The page of `lightrail describe model NAME`: shape, layers, parameters, FLOPs a token, memory by part.
[[nodiscard]] std::string model_text(const std::string& name, const Transformer& model);

}  // namespace lightrail

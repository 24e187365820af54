#pragma once
#include <cstdint>
#include <string>

#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {

/// What one GPU of a stage keeps [B]. Parameters 2 B; gradients 2 or 4 B; optimiser 12 B (FP32 copy, two
/// moments; 8 B with these in BF16), with the distributed optimiser split over dp (experts: over dp / ep).
/// Activations: what backward passes need of the micro-batches in flight, the most at any point of the
/// schedule, with fused attention (no matrix of scores), as in Korthikanti et al. 2022
/// (held_activations.hpp). DualPipe keeps parameters, gradients and optimiser of two stages. Buffers: layers
/// that FSDP has gathered.
/// Leaves out: NCCL's and cuBLAS's own, fragmentation, the CUDA context (about 2-4 GB).
struct TrainingMemory {
  std::int64_t parameters = 0, gradients = 0, optimizer = 0, activations = 0, logits = 0, buffers = 0;
  [[nodiscard]] std::int64_t total() const {
    return parameters + gradients + optimizer + activations + logits + buffers;
  }
};

/// What one GPU of stage `stage`, 0 ... pp - 1, keeps.
[[nodiscard]] TrainingMemory training_memory(const Transformer& model, const TrainingPlan& plan,
                                             std::uint32_t stage);

/// Activations of one layer of the model and one micro-batch without recomputation [B]: inputs of norms,
/// attention and activation functions in two bytes, of products in their type; quantised ones beside what
/// they are made of (Transformer Engine). `load`: tokens that the GPU's experts take, over those of an even
/// gate.
[[nodiscard]] std::int64_t layer_activation_bytes(const Transformer& model, const TrainingPlan& plan,
                                                  std::int64_t layer, double load = 1);

/// Of these what is kept from the forward to the backward pass [B].
[[nodiscard]] std::int64_t kept_activation_bytes(const Transformer& model, const TrainingPlan& plan,
                                                 std::int64_t layer, double load = 1);

/// recompute="light": what norms, activation functions and latents are computed from; inputs of products and
/// of activation functions in one byte where products are FP8. Outputs of experts are not kept [B].
[[nodiscard]] std::int64_t light_activation_bytes(const Transformer& model, const TrainingPlan& plan,
                                                  std::int64_t layer, double load = 1);

/// What one layer and micro-batch keeps from the gradient of its input to those of its weights: the
/// operands of their products, in a byte where these are FP8 [B].
[[nodiscard]] std::int64_t layer_weight_gradient_bytes(const Transformer& model, const TrainingPlan& plan,
                                                       std::int64_t layer, double load = 1);

/// "parameters 12.3 GiB, gradients ...".
[[nodiscard]] std::string memory_table(const TrainingMemory& memory);

}  // namespace lightrail

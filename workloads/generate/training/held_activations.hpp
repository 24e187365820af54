#pragma once
#include <cstdint>

#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {

/// Activations that a GPU of the stage holds at most, at any point of its schedule [B]: of passes that have
/// gone forward what their backward passes need, of those that owe the gradients of weights what is kept for
/// these, and with recomputation the whole of one layer at work. Under an uneven gate: of the GPU that
/// holds the most, with what every pass (layer and micro-batch) sends to its experts.
[[nodiscard]] std::int64_t held_activation_bytes(const Transformer& model, const TrainingPlan& plan,
                                                 std::uint32_t stage);

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <string>

#include "app/plan/candidates.hpp"
#include "app/plan/estimate.hpp"
#include "engine/scenario/element.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/generate/training/transformer.hpp"

namespace lightrail {

/// What can be said of a plan without running anything.
struct PlanFit {
  std::string refused;            ///< why the model, the batch or the GPUs rule it out; empty: they do not
  std::int64_t memory_bytes = 0;  ///< of a GPU of the fullest stage, by the estimate [B]
  PlanShape shape;
  /// Passes' time over that of a plan without recomputation and bubble: an order where nothing is run.
  double rough = 1;
};

/// `workload` with the plan's attributes.
[[nodiscard]] Element with_plan(Element workload, const PlanAttributes& plan);

/// Of a training `workload` whose <model> is `model`.
[[nodiscard]] PlanFit fit_plan(const Element& workload, const Transformer& model, std::uint32_t gpus,
                               const AlgorithmRegistry& algorithms);

}  // namespace lightrail

#pragma once
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// Remarks on what the scenario asks for by name and the run passes over: trains counted in batches where
/// they cannot be, congestion control by messages or formula, choices of queue pairs where a connection has
/// one or where a formula has no connections, figures of collectives in place of which GPUs have their own.
[[nodiscard]] ModelPart remark_unused(const Scenario& scenario, const Model& model);

}  // namespace lightrail

#pragma once
#include "engine/base/error.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// Reads <variation>, where there is one: KernelVariation and its parameters. `model` has the system. Nothing
/// when there are mistakes.
[[nodiscard]] ModelPart read_variation(const Scenario& scenario, const Model& model, ErrorList& errors);

}  // namespace lightrail

#pragma once
#include "engine/base/error.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// Reads <variation>, where there is one, into the model's KernelVariation and its declared parameters.
void read_variation(const Scenario& scenario, Model& model, ErrorList& errors);

}  // namespace lightrail

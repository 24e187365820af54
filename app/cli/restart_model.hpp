#pragma once
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// <restart> of <faults>: a JobRestartSpec, where there is one and anything fails. Mistakes go to `errors`.
[[nodiscard]] ModelPart read_restart(const Scenario& scenario, const Model& model, ErrorList& errors);

/// The model with a supervisor that is joined to all GPUs of jobs and of spare servers, and what components
/// ask of restarts, where jobs are restarted; else the model itself. `built` has its jobs. What cannot be
/// restarted, and spare servers that are none, go to `errors`.
[[nodiscard]] Model with_supervisor(Model built, const Scenario& scenario, ErrorList& errors);

}  // namespace lightrail

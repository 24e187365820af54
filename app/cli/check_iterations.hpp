#pragma once
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// What keeps the iterations of a job from repeating each other, where it steps over some of them
/// (SteppedIterations), goes to `errors`: times and losses that are drawn, what happens at times of its own,
/// operations that only some iterations have. `model` has its variation and its job.
void check_stepped_iterations(const Scenario& scenario, const Model& model, ErrorList& errors);

}  // namespace lightrail

#pragma once
#include "engine/model/model.hpp"

namespace lightrail {

/// What <run detail="formula"> runs instead of `whole`: the GPUs that can stand for all (stand_ins), with
/// their NVSwitches, NICs and hosts, joined to a meeting in the place of all other links. Throws InputErrors
/// for what a formula says nothing about: circuits, faults, storage, inference, a model without a job.
[[nodiscard]] Model formula_model(const Model& whole);

}  // namespace lightrail

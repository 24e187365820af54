#pragma once
#include "engine/base/error.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

/// What <run recall="">, of `run`, asks for.
enum class Recall : bool { none, collectives };

/// The RecallPlan of a scenario that asks for it, with its remarks; an error at the attribute where a
/// condition of it does not hold. `model` has what prepare_execution() made.
[[nodiscard]] ModelPart read_recall(Recall recall, const Element* run, const Model& model, ErrorList& errors);

}  // namespace lightrail

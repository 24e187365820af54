#pragma once
#include "engine/model/model.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

/// Adds an error where some devices with pauses let answers go first (<nic answers>, <ethernet-switch
/// answers>) and others keep them in their class: what passes pauses at one would find no room kept for it at
/// the next.
void check_answers(const Model& model, ErrorList& errors);

}  // namespace lightrail

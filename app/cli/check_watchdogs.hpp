#pragma once
#include "engine/model/model.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

/// Refuses, at the place of a <watchdog> that drops what is in a storm, NICs behind its switches, through
/// other packet switches too, that do not repair losses of that class: nobody would send it again.
void check_watchdogs(const Model& model, ErrorList& errors);

}  // namespace lightrail

#pragma once
#include "engine/model/model.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

/// What components refuse when they are built (rates of ports, buffers below a train, numbers of ports), at
/// the place of the element that each is made from. One component is built of those that have the same
/// parameters, links and neighbours, and an element is reported once.
void check_components(const Model& model, ErrorList& errors);

}  // namespace lightrail

#pragma once
#include <vector>

#include "app/cli/known_elements.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

/// Elements whose names no stage knows anywhere, and attributes that their elements do not have where they
/// stand, with did-you-mean. For a scenario that could
/// not be built, where what is still unread says nothing.
void report_unknown_names(const Element& root, const std::vector<ElementDoc>& known, ErrorList& errors);

}  // namespace lightrail

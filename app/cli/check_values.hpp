#pragma once
#include <string>
#include <vector>

#include "app/cli/known_elements.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

/// Of attributes that no stage has read, because one before it failed: values that are not of the documented
/// type or choice, and tables of <output> that are none. So that all mistakes are told at once.
void check_unread_values(const Element& root, const std::vector<ElementDoc>& known,
                         const std::vector<std::string>& tables, ErrorList& errors);

}  // namespace lightrail

#pragma once
#include <vector>

#include "engine/model/describe.hpp"

namespace lightrail {

/// Checks and marks read the <source parameter="" kind="" text=""/> children: where each figure of a
/// catalogue entry is from. A parameter that the element does not have, an unknown kind of source and an
/// empty text are mistakes.
void read_sources(const Element& element, const std::vector<ParameterDoc>& parameters, ErrorList& errors);

}  // namespace lightrail

#pragma once
#include <string>

#include "engine/scenario/element.hpp"

namespace lightrail {

/// Two blanks a level, attributes in order of their names, no comments: equal trees have equal texts.
[[nodiscard]] std::string write_xml(const Element& root);

}  // namespace lightrail

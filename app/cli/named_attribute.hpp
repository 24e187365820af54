#pragma once
#include <optional>
#include <string>

#include "engine/scenario/element.hpp"

namespace lightrail {

/// NAME=VALUE on a command line: an attribute that scenarios have too. A file of that name is a file.
[[nodiscard]] std::optional<Attribute> named_attribute(const std::string& argument);

}  // namespace lightrail

#pragma once
#include <string>

#include "app/registry/registry.hpp"

namespace lightrail {

/// How to write a plugin, what it may add, and what the loaded ones have added.
[[nodiscard]] std::string plugin_text(const Registry& registry);

}  // namespace lightrail

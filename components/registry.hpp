#pragma once
#include "engine/model/registry.hpp"
#include "network/routing/routing_registry.hpp"

namespace lightrail {

/// Every component kind of this source tree, by an explicit list; switches may route by `routings`.
[[nodiscard]] KindRegistry built_in_kinds(const RoutingRegistry& routings = built_in_routings());

}  // namespace lightrail

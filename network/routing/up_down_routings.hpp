#pragma once
#include <memory>

#include "network/routing/routing_kind.hpp"

namespace lightrail {

/// Destination-mod-k: by lid only.
[[nodiscard]] std::shared_ptr<const RoutingKind> static_routing();
/// Hash of the flow with the switch's own salt.
[[nodiscard]] std::shared_ptr<const RoutingKind> ecmp_routing();
/// Every train: the port that lets it go now and has the least backlog.
[[nodiscard]] std::shared_ptr<const RoutingKind> adaptive_routing();
/// Every flowlet: as adaptive, then the same port until the flow pauses.
[[nodiscard]] std::shared_ptr<const RoutingKind> adaptive_flow_routing();

}  // namespace lightrail

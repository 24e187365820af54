#pragma once
#include <memory>

#include "network/routing/routing_kind.hpp"

namespace lightrail {

/// Destination-mod-k: by lid only.
[[nodiscard]] std::shared_ptr<const RoutingKind> static_routing();
/// Hash of the flow, and of its packet's entropy value, with the switch's own salt.
[[nodiscard]] std::shared_ptr<const RoutingKind> ecmp_routing();
/// Every train: the port that lets it go now and has the least backlog, by what waits here and what its
/// credits say of the next buffer; of those less than two packets apart one drawn anew for each train. So an
/// InfiniBand switch with adaptive routing does.
[[nodiscard]] std::shared_ptr<const RoutingKind> adaptive_routing();
/// The same, where the next switch reports of its own outputs, too (adaptive_notified.cpp).
[[nodiscard]] std::shared_ptr<const RoutingKind> adaptive_notified_routing();
/// Every flowlet: the port with the least such backlog, ties drawn, then the same port until the flow pauses.
[[nodiscard]] std::shared_ptr<const RoutingKind> adaptive_flow_routing();
/// Spraying, as Ethernet senders do that count an entropy value up from packet to packet: each train of a
/// flow takes the next port after that of the one before, whatever the load; every flow begins at a place of
/// its own. Flows that share an entry of the table (flow-entries) take turns in it.
[[nodiscard]] std::shared_ptr<const RoutingKind> spray_routing();

}  // namespace lightrail

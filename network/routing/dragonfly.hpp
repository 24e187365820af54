#pragma once
#include <memory>

#include "network/routing/routing_kind.hpp"

namespace lightrail {

/// Routing on fabrics of groups (GroupRoute) that may pass through a third group, after
///   A. Shpiner, Z. Haramaty, S. Eliad, V. Zdornov, B. Gafni, E. Zahavi: Dragonfly+: low cost topology for
///   scaling datacenters. HiPINEB 2017.
///
/// A shortest way is leaf, spine, global link, spine, leaf. A way around takes a global link to a third group
/// and goes on from there by a shortest way: over the global link of the spine it came to, or down to a leaf
/// and up to a spine that has one.
///
/// Deadlock: lanes come in two classes. A train moves to the second when it leaves the third group's leaf
/// upwards, or its spine over a global link, and back to the NIC's lane on the link to the NIC. So buffers
/// are taken in the order up, global, down of the first class, then of the second: no ring of them can wait.
/// A switch with L lanes has L / 2 for each lane of the NICs.
///
/// Assumes that a switch sees its own ports only (flow control and backlog). Leaves out the paper's
/// notification of congestion from other switches, and ways that leave their own group for traffic inside it.

/// Valiant: every train between groups goes around, by a spine and a global link drawn anew for each train.
/// Other ways only where the drawn spine has no link to a third group.
[[nodiscard]] std::shared_ptr<const RoutingKind> dragonfly_valiant_routing();

/// Fully progressive adaptive: the leaf and the spine of the source group, then the spine of the third group,
/// each choose between the shortest way and a longer one. The longer one is taken when the other must
/// wait for the far end and it need not, or when its backlog is less than half of the other's and a train's
/// time less.
[[nodiscard]] std::shared_ptr<const RoutingKind> dragonfly_adaptive_routing();

}  // namespace lightrail

#pragma once
#include <memory>

#include "fabrics/fabric_kind.hpp"

namespace lightrail {

/// All NICs on one switch.
[[nodiscard]] std::shared_ptr<const FabricKind> single_switch_kind();
/// One leaf for each pod of servers and rail; spines, or spines and cores, join them.
[[nodiscard]] std::shared_ptr<const FabricKind> rail_optimised_kind();
/// A switch, or a network of two or three tiers, for each rail; nothing joins the rails.
[[nodiscard]] std::shared_ptr<const FabricKind> rail_only_kind();
/// Leaves filled NIC by NIC, server after server.
[[nodiscard]] std::shared_ptr<const FabricKind> fat_tree_kind();

}  // namespace lightrail

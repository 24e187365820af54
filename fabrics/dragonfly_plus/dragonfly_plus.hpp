#pragma once
#include <memory>

#include "fabrics/fabric_kind.hpp"

namespace lightrail {

/// Groups of leaves and spines, every leaf joined to every spine of its group, and global links between the
/// spines of each two groups: dragonfly+ (A. Shpiner et al., HiPINEB 2017), also called Megafly. Leaves are
/// filled NIC by NIC, server after server.
[[nodiscard]] std::shared_ptr<const FabricKind> dragonfly_plus_kind();

}  // namespace lightrail

#pragma once
#include <memory>

#include "fabrics/fabric_kind.hpp"

namespace lightrail {

/// Some NICs of each server are joined by the optical switch of its region of servers, with a controller
/// where the fabric has a <controller>; a fat tree joins the others, and there the GPUs receive (MixNet).
/// Sets the resource Regions.
[[nodiscard]] std::shared_ptr<const FabricKind> mixnet_kind();

}  // namespace lightrail

#pragma once
#include <memory>

#include "fabrics/fabric_kind.hpp"

namespace lightrail {

/// All NICs on one patch panel whose circuits never change; servers relay for those that they are not joined
/// to (TopoOpt). Sets the resource Regions.
[[nodiscard]] std::shared_ptr<const FabricKind> topoopt_kind();

}  // namespace lightrail

#pragma once
#include <memory>

#include "fabrics/fabric_kind.hpp"

namespace lightrail {

/// NIC i of all servers on rail i's optical switch, with a controller each that gives GPUs circuits when they
/// ask (Opus). Sets the resource Rails.
[[nodiscard]] std::shared_ptr<const FabricKind> photonic_rails_kind();

}  // namespace lightrail

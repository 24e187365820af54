#pragma once
#include <vector>

#include "fabrics/fabric_spec.hpp"
#include "fabrics/servers/servers.hpp"

namespace lightrail {

/// Joins NIC i of all servers by rail i's optical switch, with a controller each that gives GPUs circuits
/// when they ask (Opus). Sets the resource Rails.
void build_photonic_rails(const Element& fabric, const FabricSpec& spec, const std::vector<NicPlace>& nics,
                          SystemBuilder& builder, FabricCounter& counter);

}  // namespace lightrail

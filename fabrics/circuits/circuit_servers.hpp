#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fabrics/fabric_build.hpp"

namespace lightrail {

/// NICs of the compute servers: [server][rail].
struct CircuitServers {
  std::vector<std::vector<ComponentId>> nics;
  std::uint32_t gpus = 0;
};

/// Servers must be alike; else errors, and none.
CircuitServers circuit_servers(const Element& fabric, const std::vector<NicPlace>& nics,
                               SystemBuilder& builder);

/// What a fabric without packet switches begins with: servers and the cable from their NICs to the optical
/// switches. One server, or storage, is an error.
struct CircuitFabric {
  CircuitServers servers;
  std::uint32_t cable = 0;
};
std::optional<CircuitFabric> circuit_fabric(const FabricBuild& fabric);

/// What it ends with: every NIC gets an address.
void give_addresses(const CircuitServers& servers, FabricBuild& fabric);

/// The fabric's <ocs> with circuits of the start as if they stood on the element; `who` needs so many ports.
std::optional<Part> circuit_switch(const Element& fabric, const std::string& circuits, std::size_t ports,
                                   const std::string& who, SystemBuilder& builder);

/// The light of a path from a NIC through the optical switch to a NIC; too little is an error.
void check_circuit_light(const Element& fabric, std::uint32_t cable, const Part& ocs, SystemBuilder& builder);

}  // namespace lightrail

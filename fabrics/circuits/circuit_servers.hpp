#pragma once
#include <cstdint>
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
[[nodiscard]] CircuitServers circuit_servers(const Element& fabric, const std::vector<NicPlace>& nics,
                                             SystemBuilder& builder);

/// What a fabric without packet switches begins with: servers and the cable from their NICs to the optical
/// switches. One server, or storage, is an error.
struct CircuitFabric {
  CircuitServers servers;
  std::uint32_t cable = 0;
};
/// Nothing after a mistake, which is in the builder's errors.
[[nodiscard]] std::optional<CircuitFabric> circuit_fabric(const FabricBuild& fabric);

/// What it ends with: every NIC gets an address.
void assign_addresses(const CircuitServers& servers, FabricBuild& fabric);

/// The fabric's <ocs> as it stands there.
struct BareSwitch {
  const Element* element = nullptr;
  Part part;
};

/// The fabric's <ocs>, which has `ports` ports or more; `who` needs them. Null on a mistake, such as circuits
/// given by hand.
[[nodiscard]] std::optional<BareSwitch> read_circuit_switch(const Element& fabric, std::size_t ports,
                                                            const std::string& who, SystemBuilder& builder);

/// The same with circuits of the start as if they stood on the element.
[[nodiscard]] std::optional<Part> with_circuits(const BareSwitch& bare, const std::string& circuits,
                                                SystemBuilder& builder);

/// The light of a path from a NIC through the optical switch to a NIC; too little is an error.
void check_circuit_light(const Element& fabric, std::uint32_t cable, const Part& ocs, SystemBuilder& builder);

}  // namespace lightrail

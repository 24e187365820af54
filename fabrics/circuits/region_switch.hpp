#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fabrics/circuits/circuit_servers.hpp"
#include "fabrics/fabric_build.hpp"
#include "network/circuits/regions.hpp"

namespace lightrail {

/// GPU l owns NIC l * nics / gpus; where GPUs share a NIC the first one is its delegate. By NIC.
[[nodiscard]] std::vector<std::uint16_t> owners(std::uint32_t gpus, std::size_t nics);

/// Regions of `region_servers` neighbours; the last may have fewer.
void place_members(Regions& regions, std::size_t servers, std::uint32_t region_servers);

/// The optical switch of a region of `members` servers with `circuits` at the start. Null on a mistake.
[[nodiscard]] std::optional<Part> region_switch(const FabricBuild& fabric,
                                                const std::vector<Regions::Circuit>& circuits,
                                                const Regions& regions, std::size_t members);

/// Joins the optical NICs of region `r` to its switch.
void connect_region(const Regions& regions, std::uint32_t r, const CircuitServers& servers, ComponentId ocs,
                    std::uint32_t cable, SystemBuilder& builder);

}  // namespace lightrail

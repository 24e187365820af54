#include "fabrics/circuits/region_switch.hpp"

#include <fmt/format.h>

#include <string>

#include "components/controller/port_map.hpp"

namespace lightrail {

std::vector<std::uint16_t> owners(std::uint32_t gpus, std::size_t nics) {
  std::vector<std::uint16_t> owner(nics, 0);
  for (std::uint32_t l = gpus; l-- > 0;) owner[l * nics / gpus] = static_cast<std::uint16_t>(l);
  return owner;
}

void place_members(Regions& regions, std::size_t servers, std::uint32_t region_servers) {
  regions.place_of_server.resize(servers);
  for (std::uint32_t s = 0; s < servers; ++s) {
    const std::uint32_t r = s / region_servers;
    if (r == regions.regions.size()) regions.regions.emplace_back();
    regions.place_of_server[s] = {r, static_cast<std::uint32_t>(regions.regions[r].servers.size())};
    regions.regions[r].servers.push_back(s);
  }
}

std::optional<Part> region_switch(const FabricBuild& fabric, const std::vector<Regions::Circuit>& circuits,
                                  const Regions& regions, std::size_t members) {
  std::string text;
  for (const Regions::Circuit& c : circuits)
    text += fmt::format("{}-{} ", ocs_port(regions, c.a, c.nic_a), ocs_port(regions, c.b, c.nic_b));
  const std::size_t nics = regions.optical_nics.size();
  const auto bare =
      read_circuit_switch(fabric.element, members * nics,
                          fmt::format("{} servers with {} optical NICs each", members, nics), fabric.builder);
  return bare ? with_circuits(*bare, text, fabric.builder) : std::nullopt;
}

void connect_region(const Regions& regions, std::uint32_t r, const CircuitServers& servers, ComponentId ocs,
                    std::uint32_t cable, SystemBuilder& builder) {
  const Regions::Region& region = regions.regions[r];
  for (std::uint32_t m = 0; m < region.servers.size(); ++m)
    for (const std::uint16_t nic : regions.optical_nics)
      builder.connect(servers.nics[region.servers[m]][nic], 0, ocs, ocs_port(regions, m, nic), cable);
}

}  // namespace lightrail

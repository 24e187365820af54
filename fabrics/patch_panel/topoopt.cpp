#include "fabrics/patch_panel/topoopt.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "components/controller/port_map.hpp"
#include "fabrics/circuits/region_switch.hpp"
#include "fabrics/patch_panel/panel_circuits.hpp"
#include "network/transport/nic_returns.hpp"

namespace lightrail {

namespace {

Describe<PanelSpec> table() {
  using S = PanelSpec;
  return Describe<S>()
      .field("strides", &S::strides,
             "servers a and a + stride are joined, by two NICs of each (default: as far apart as "
             "the NICs allow)")
      .field("demand-servers", &S::demand_servers,
             "servers that exchange among themselves (an expert group): a ring, and the other NICs by that "
             "demand, instead of strides; 0: strides",
             0u, 65'536u);
}

/// Where each member sends what is for each other one: the first server of a shortest way; of several, the
/// one that the pair's numbers choose.
std::vector<std::uint16_t> next_hops(const std::vector<Regions::Circuit>& circuits, std::uint32_t members) {
  std::vector<std::set<std::uint16_t>> joined(members);
  for (const Regions::Circuit& c : circuits) {
    joined[c.a].insert(static_cast<std::uint16_t>(c.b));
    joined[c.b].insert(static_cast<std::uint16_t>(c.a));
  }
  std::vector<std::uint16_t> next(std::size_t{members} * members, 0);
  for (std::uint32_t to = 0; to < members; ++to) {
    std::vector<std::uint32_t> hops(members, members);
    std::deque<std::uint32_t> queue{to};
    hops[to] = 0;
    while (!queue.empty()) {
      const std::uint32_t at = queue.front();
      queue.pop_front();
      for (const std::uint16_t other : joined[at])
        if (hops[other] == members) hops[other] = hops[at] + 1, queue.push_back(other);
    }
    for (std::uint32_t from = 0; from < members; ++from) {
      std::vector<std::uint16_t> good;
      for (const std::uint16_t other : joined[from])
        if (hops[other] + 1 == hops[from]) good.push_back(other);
      if (!good.empty()) next[std::size_t{from} * members + to] = good[(from + to) % good.size()];
    }
  }
  return next;
}

void build(FabricBuild& fabric, const PanelSpec& spec) {
  SystemBuilder& builder = fabric.builder;
  const auto begun = circuit_fabric(fabric);
  if (!begun) return;
  const CircuitServers& servers = begun->servers;
  auto regions = std::make_shared<Regions>();
  const auto per_server = static_cast<std::uint32_t>(servers.nics[0].size());
  const auto members = static_cast<std::uint32_t>(servers.nics.size());
  for (std::uint16_t i = 0; i < per_server; ++i) regions->optical_nics.push_back(i);
  regions->gpu_of_nic = owners(servers.gpus, per_server);
  regions->circuit_rate = builder.cable_at(begun->cable).rate;
  place_members(*regions, members, members);

  const auto counts = panel_circuits(fabric.element, spec, members, per_server, fabric.errors());
  if (!counts) return;
  Regions::Region& region = regions->regions[0];
  region.circuits = place_circuits(*counts, *regions, region, {});
  region.next_hop = next_hops(region.circuits, members);

  const std::optional<Part> ocs = region_switch(fabric, region.circuits, *regions, members);
  if (!ocs) return;
  check_circuit_light(fabric.element, begun->cable, *ocs, builder);
  if (fabric.has_errors()) return;
  const ComponentId id = builder.add(*ocs, ocs->radix, builder.prefix("ocs"), 0, builder.new_atom());
  connect_region(*regions, 0, servers, id, begun->cable, builder);
  assign_addresses(servers, fabric);
  const LostTrains lost = LostTrains::from_nic_then_gpu;
  builder.add_resource<NicReturns>(std::make_shared<NicReturns>(NicReturns{StrayTrains::to_gpu, lost}));
  builder.add_resource<Regions>(std::move(regions));
}

}  // namespace

std::shared_ptr<const FabricKind> topoopt_kind() {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "topoopt";
  kind->takes_storage = false;
  kind->doc =
      "All NICs on one patch panel (an <ocs> that never changes); servers relay for those that they are not "
      "joined to (TopoOpt).";
  kind->link_roles = {"optical"};
  bind_fabric(*kind, table(), build);
  return kind;
}

}  // namespace lightrail

#include "network/health/nic_planes.hpp"

#include <utility>

#include "network/routing/routing.hpp"

namespace lightrail {

NicPlanes::NicPlanes(const HealthTable& health, const Model& model) {
  const auto* tables = model.resource<RoutingTables>();
  if (!tables) return;
  HealthTable::Outages all;
  for (const ComponentRecord& record : model.components) {
    const std::uint32_t ports = fabric_ports_of(*model.specs[record.spec]);
    for (std::uint32_t port = 0; ports > 1 && port < ports; ++port) {
      const LinkId cable = model.ports[record.first_port + port].out;
      if (!cable.is_valid() || !health.has_outages(cable)) continue;
      const LinkRecord& link = model.links[cable.value];
      const auto route = tables->route_of.find(link.to.value);
      if (route == tables->route_of.end() || tables->routes[route->second].has_twin) continue;
      // A leaf has its NICs in the order of their lids.
      const std::uint32_t lid = tables->routes[route->second].down.front().lid_low + link.to_port;
      if (cables_of_.size() <= lid) cables_of_.resize(lid + 1);
      cables_of_[lid][port] = cable;
      const auto own = health.outages(cable);
      all[cable].assign(own.begin(), own.end());
    }
  }
  outages_ = HealthTable({.detection = health.delay(Observer::sender)}, std::move(all));
}

bool NicPlanes::leads_to(Lid lid, std::uint32_t port, SimTime now) const {
  if (lid.value >= cables_of_.size()) return true;
  const LinkId cable = cables_of_[lid.value][port];
  return !cable.is_valid() || outages_.is_up(cable, now, Observer::sender);
}

}  // namespace lightrail

#include "network/health/nic_planes.hpp"

#include <algorithm>

#include "network/routing/routing.hpp"

namespace lightrail {

NicPlanes::NicPlanes(const HealthTable& health, const Model& model) : health_(&health) {
  const auto* tables = model.resource<RoutingTables>();
  if (!tables) return;
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
      for (const Outage& outage : health.outages(cable))
        moments_.insert(moments_.end(), {outage.down, outage.up});
    }
  }
  std::sort(moments_.begin(), moments_.end());
  moments_.erase(std::unique(moments_.begin(), moments_.end()), moments_.end());
}

bool NicPlanes::leads_to(Lid lid, std::uint32_t port, SimTime now) const {
  if (lid.value >= cables_of_.size()) return true;
  const LinkId cable = cables_of_[lid.value][port];
  return !cable.is_valid() || health_->is_up(cable, now, Observer::sender);
}

SimTime NicPlanes::next_change(SimTime now) const {
  if (is_empty()) return time_never;
  const SimTime late = health_->delay(Observer::sender);
  const auto next = std::upper_bound(moments_.begin(), moments_.end(), now - late);
  return next == moments_.end() || *next > time_never - late ? time_never : *next + late;
}

}  // namespace lightrail

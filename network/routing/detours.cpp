#include "network/routing/detours.hpp"

#include "engine/base/error.hpp"

namespace lightrail {

Detours::Detours(const BuildContext& build, const SwitchRoute& route, const HealthTable& health)
    : model_(build.model),
      tables_(*build.model.resource<RoutingTables>()),
      route_(route),
      health_(health),
      id_(build.id) {
  LIGHTRAIL_EXPECT(route.listed.empty() && !route.groups);
}

const Detours::Known& Detours::known(Lid lid, SimTime now) {
  Known& known = known_[lid.value];
  if (now < known.until) return known;
  known.until = health_.next_change(now, Observer::routing);
  known.ports = route_.candidates(lid);
  keep_open(known, known.ports, lid, now);
  known.is_by_twin = false;
  const bool is_below = known.ports.count == 1 && known.ports[0] < route_.first_up;
  if (known.open.empty() && route_.has_twin && is_below) {
    keep_open(known, {route_.first_up, route_.up_count}, lid, now);
    known.is_by_twin = !known.open.empty();
  }
  known.is_cut_off = known.open.empty();
  if (known.is_by_twin || (!known.is_cut_off && known.open.size() < known.ports.count))
    known.ports = {0, static_cast<std::uint16_t>(known.open.size()), known.open.data()};
  return known;
}

/// Of `ports` those that lead to `lid`.
void Detours::keep_open(Known& known, const SwitchRoute::Candidates& ports, Lid lid, SimTime now) const {
  known.open.clear();
  for (std::uint32_t i = 0; i < ports.count; ++i)
    if (leads_to(id_, ports[i], lid, now)) known.open.push_back(ports[i]);
}

template <class MayTake>
std::optional<PortIndex> Detours::neighbour(Lid lid, SimTime now, MayTake&& may_take) const {
  const std::uint32_t count = model_.components[id_.value].port_count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto port = static_cast<PortIndex>((lid.value + i) % count);  // another one first for each lid
    const LinkId out = link_at(port);
    if (!out.is_valid() || !may_take(out)) continue;
    const ComponentId far = model_.links[out.value].to;
    if (tables_.route_of.contains(far.value) && reaches(far, lid, now)) return port;
  }
  return std::nullopt;
}

PortIndex Detours::or_back(PortIndex port, Lid lid, SimTime now) {
  if (!known(lid, now).is_cut_off) return port;
  return neighbour(lid, now,
                   [&](LinkId out) {
                     return health_.is_up(out, now) && health_.is_up(out, now, Observer::routing);
                   })
      .value_or(port);
}

bool Detours::is_dead(SimTime now) const {
  for (PortIndex port = 0; port < model_.components[id_.value].port_count; ++port)
    if (const LinkId out = link_at(port); out.is_valid() && health_.is_up(out, now)) return false;
  return true;
}

std::optional<PortIndex> Detours::heir(Lid lid, SimTime now) const {
  return neighbour(lid, now, [](LinkId) { return true; });
}

bool Detours::leads_to(ComponentId from, PortIndex port, Lid lid, SimTime now) const {
  const ComponentRecord& record = model_.components[from.value];
  if (port >= record.port_count) return false;
  const LinkId out = model_.ports[record.first_port + port].out;
  return out.is_valid() && health_.is_up(out, now, Observer::routing) &&
         reaches(model_.links[out.value].to, lid, now);
}

/// Up and then down: no switch is met twice.
bool Detours::reaches(ComponentId device, Lid lid, SimTime now) const {
  const auto route = tables_.route_of.find(device.value);
  if (route == tables_.route_of.end()) return true;  // the NIC itself, or an optical switch
  const SwitchRoute::Candidates ports = tables_.routes[route->second].candidates(lid);
  for (std::uint32_t i = 0; i < ports.count; ++i)
    if (leads_to(device, ports[i], lid, now)) return true;
  return false;
}

}  // namespace lightrail

#include "network/routing/port_chooser.hpp"

#include <tuple>

#include "engine/base/hash.hpp"

namespace lightrail {
namespace {

/// A hash onto [0, count) without division.
std::uint32_t spread(std::uint64_t hash, std::uint32_t count) {
  return static_cast<std::uint32_t>((hash >> 32) * count >> 32);
}

}  // namespace

PortChooser::PortChooser(const Settings& settings) : settings_(settings) {
  if (settings.routing == Routing::adaptive_flow) flows_.resize(settings.flow_entries);
}

PortIndex PortChooser::choose(const SwitchRoute& route, Lid lid, const Frame& train, const EgressBank& egress,
                              const Context& context) {
  SwitchRoute::Candidates ports = route.candidates(lid);
  if (ports.count == 0) return unroutable;
  if (settings_.routing == Routing::fixed) return fixed_port(route, ports, lid, egress);
  if (ports.count == 1) return egress.is_connected(ports[0]) ? ports[0] : unroutable;

  std::uint64_t hash =
      hash_combine(hash_combine(settings_.salt, train.address.flow()), train.address.to().value);
  if (settings_.routing == Routing::adaptive) return least_loaded(ports, hash, train, egress, context);
  if (settings_.routing == Routing::adaptive_flow) return remembered(ports, hash, train, egress, context);
  std::uint32_t first = spread(hash, ports.count);
  for (std::uint32_t i = 0; i < ports.count; ++i)
    if (PortIndex port = ports[(first + i) % ports.count]; egress.is_connected(port)) return port;
  return unroutable;
}

/// Up: the digit of the destination that this tier decides (D-mod-K), so that tiers do not choose alike;
/// down: the parallel links in turns.
PortIndex PortChooser::fixed_port(const SwitchRoute& route, const SwitchRoute::Candidates& ports, Lid lid,
                                  const EgressBank& egress) const {
  bool is_up = !ports.list && ports.first == route.first_up && ports.count == route.up_count;
  std::uint32_t digit =
      is_up && !route.down.empty() ? lid.value / route.down.front().lids_per_child : lid.value;
  PortIndex port = ports[digit % ports.count];
  return egress.is_connected(port) ? port : unroutable;
}

PortIndex PortChooser::least_loaded(const SwitchRoute::Candidates& ports, std::uint64_t hash,
                                    const Frame& train, const EgressBank& egress,
                                    const Context& context) const {
  PortIndex best = unroutable;
  std::tuple<bool, SimTime> least{true, time_never};
  std::uint32_t index = spread(hash, ports.count);
  for (std::uint32_t i = 0; i < ports.count; ++i, index = index + 1 == ports.count ? 0 : index + 1) {
    PortIndex port = ports[index];
    if (!egress.is_connected(port)) continue;
    std::tuple<bool, SimTime> load{!egress.has_credit(port, train.lane, train.bytes, context),
                                   egress.load(port, context.now())};
    if (load == std::tuple{false, SimTime{0}}) return port;  // none is less, and those before were more
    if (best != unroutable && load >= least) continue;
    least = load;
    best = port;
  }
  return best;
}

PortIndex PortChooser::remembered(const SwitchRoute::Candidates& ports, std::uint64_t hash,
                                  const Frame& train, const EgressBank& egress, const Context& context) {
  Flow& flow = flows_[spread(mix64(hash), static_cast<std::uint32_t>(flows_.size()))];
  bool is_known =
      flow.hash == hash && flow.port != unroutable && context.now() - flow.last <= settings_.flowlet_gap;
  if (!is_known) flow.port = least_loaded(ports, hash, train, egress, context);
  flow.hash = hash;
  flow.last = context.now();
  return flow.port;
}

}  // namespace lightrail

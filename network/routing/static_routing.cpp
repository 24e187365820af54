#include <cstdint>
#include <memory>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// Up: the digit of the destination that this tier decides (D-mod-K), so that tiers do not choose alike;
/// down: the parallel links in turns. A port without a link is not passed over; one whose link is down is,
/// once the routing tables have been made anew.
class StaticRouting final : public Routing {
 public:
  explicit StaticRouting(const RoutingSetup& setup) : route_(setup.route), egress_(setup.egress) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    const SwitchRoute::Candidates ports = route_.candidates(lid);
    if (ports.count == 0) return {unroutable, train.lane};
    const bool is_up = !ports.list && ports.first == route_.first_up && ports.count == route_.up_count;
    const std::uint32_t digit =
        is_up && !route_.down.empty() ? lid.value / route_.down.front().lids_per_child : lid.value;
    const PortIndex port = ports[digit % ports.count];
    if (!egress_.is_connected(port)) return {unroutable, train.lane};
    if (!egress_.is_routed_around(port, context.now())) return {port, train.lane};
    return {next_after(ports, digit, context.now()), train.lane};
  }

 private:
  /// Where the tables lead around the port at `digit`; that port where all are down.
  [[nodiscard]] PortIndex next_after(const SwitchRoute::Candidates& ports, std::uint32_t digit,
                                     SimTime now) const {
    for (std::uint32_t i = 1; i < ports.count; ++i)
      if (const PortIndex other = ports[(digit + i) % ports.count];
          egress_.is_connected(other) && !egress_.is_routed_around(other, now))
        return other;
    return ports[digit % ports.count];
  }

  const SwitchRoute& route_;
  const EgressBank& egress_;
};

}  // namespace

std::shared_ptr<const RoutingKind> static_routing() {
  return routing_kind<StaticRouting>("static", "destination-mod-k");
}

}  // namespace lightrail

#include <cstdint>
#include <memory>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// By NearRoute::by_digit(). A port without a link is not passed over; one whose link is down, or behind
/// which there is no way any more, is, once the routing tables have been made anew.
class StaticRouting final : public Routing {
 public:
  explicit StaticRouting(const RoutingSetup& setup)
      : route_(&setup.route), detours_(setup.detours), egress_(setup.egress) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    const PortIndex port = route_.by_digit(lid);
    if (port == unroutable || !egress_.is_connected(port)) return {unroutable, train.lane};
    if (!detours_ && !egress_.is_routed_around(port, context.now())) return {port, train.lane};
    const SwitchRoute::Candidates ports = route_.candidates(lid);
    std::uint32_t place = 0;
    while (ports[place] != port) ++place;
    const SwitchRoute::Candidates open = ways_to(lid, route_, detours_, context.now());
    if (detours_ && detours_->goes_by_twin(lid, context.now()))
      return {first_usable(open, lid.value % open.count, egress_, context.now()), train.lane};
    const auto is_open = [&](PortIndex other) {
      return egress_.is_connected(other) && !egress_.is_routed_around(other, context.now()) &&
             (open.count == ports.count || holds(open, other));
    };
    for (std::uint32_t i = 0; i < ports.count; ++i)
      if (const PortIndex next = ports[(place + i) % ports.count]; is_open(next)) return {next, train.lane};
    return {port, train.lane};  // all are down
  }

  [[nodiscard]] SwitchRoute::Candidates likely(Lid lid, const SwitchRoute::Candidates&) const override {
    return {route_.by_digit(lid), 1, nullptr};
  }

 private:
  static bool holds(const SwitchRoute::Candidates& open, PortIndex port) {
    std::uint32_t i = 0;
    while (i < open.count && open[i] != port) ++i;
    return i < open.count;
  }

  NearRoute route_;
  Detours* detours_;
  const EgressBank& egress_;
};

}  // namespace

std::shared_ptr<const RoutingKind> static_routing() {
  auto kind = routing_kind<StaticRouting>("static", "destination-mod-k");
  kind->fixes_ways = true;
  kind->goes_by_digit = true;
  return kind;
}

}  // namespace lightrail

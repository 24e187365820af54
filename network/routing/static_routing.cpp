#include <cstdint>
#include <memory>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// Up: the digit of the destination that this tier decides (D-mod-K), so that tiers do not choose alike;
/// down: the parallel links in turns. A port without a link is not passed over; one whose link is down, or
/// behind which there is no way any more, is, once the routing tables have been made anew.
class StaticRouting final : public Routing {
 public:
  explicit StaticRouting(const RoutingSetup& setup)
      : route_(&setup.route), detours_(setup.detours), egress_(setup.egress) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    const SwitchRoute::Candidates ports = route_.candidates(lid);
    if (ports.count == 0) return {unroutable, train.lane};
    const std::uint32_t place = ports.count == 1 ? 0 : digit_of(lid, ports) % ports.count;
    const PortIndex port = ports[place];
    if (!egress_.is_connected(port)) return {unroutable, train.lane};
    if (!detours_ && !egress_.is_routed_around(port, context.now())) return {port, train.lane};
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

  [[nodiscard]] SwitchRoute::Candidates likely(Lid lid, const SwitchRoute::Candidates& ports) const override {
    return {ports[digit_of(lid, ports) % ports.count], 1, nullptr};
  }

 private:
  [[nodiscard]] std::uint32_t digit_of(Lid lid, const SwitchRoute::Candidates& ports) const {
    const SwitchRoute::Candidates up = route_.up();
    const bool is_up = !ports.list && ports.first == up.first && ports.count == up.count;
    return is_up ? lid.value / route_.lids_per_child() : lid.value;
  }
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
  return kind;
}

}  // namespace lightrail

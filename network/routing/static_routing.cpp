#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// Up: the digit of the destination that this tier decides (D-mod-K), so that tiers do not choose alike;
/// down: the parallel links in turns. A port that is not usable is not passed over.
class StaticRouting final : public Routing {
 public:
  explicit StaticRouting(const RoutingSetup& setup) : route_(setup.route), egress_(setup.egress) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context&) override {
    const SwitchRoute::Candidates ports = route_.candidates(lid);
    if (ports.count == 0) return {unroutable, train.lane};
    const bool is_up = !ports.list && ports.first == route_.first_up && ports.count == route_.up_count;
    const std::uint32_t digit =
        is_up && !route_.down.empty() ? lid.value / route_.down.front().lids_per_child : lid.value;
    const PortIndex port = ports[digit % ports.count];
    return {is_usable(egress_, port) ? port : unroutable, train.lane};
  }

 private:
  const SwitchRoute& route_;
  const EgressBank& egress_;
};

}  // namespace

std::shared_ptr<const RoutingKind> static_routing() {
  return routing_kind<StaticRouting>("static", "destination-mod-k");
}

}  // namespace lightrail

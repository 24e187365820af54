#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// Ports that are not usable are passed over.
class Ecmp final : public Routing {
 public:
  explicit Ecmp(const RoutingSetup& setup) : route_(setup.route), egress_(setup.egress), salt_(setup.salt) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context&) override {
    const SwitchRoute::Candidates ports = route_.candidates(lid);
    if (ports.count == 0) return {unroutable, train.lane};
    if (ports.count == 1) return {is_usable(egress_, ports[0]) ? ports[0] : unroutable, train.lane};
    const std::uint32_t first = spread(flow_hash(salt_, train), ports.count);
    for (std::uint32_t i = 0; i < ports.count; ++i)
      if (const PortIndex port = ports[(first + i) % ports.count]; is_usable(egress_, port))
        return {port, train.lane};
    return {unroutable, train.lane};
  }

 private:
  const SwitchRoute& route_;
  const EgressBank& egress_;
  std::uint64_t salt_;
};

}  // namespace

std::shared_ptr<const RoutingKind> ecmp_routing() {
  return routing_kind<Ecmp>("ecmp", "hash of the flow");
}

}  // namespace lightrail

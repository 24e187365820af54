#include <cstdint>
#include <memory>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// Ports without a link, or with one that is down, are passed over.
class Ecmp final : public Routing {
 public:
  explicit Ecmp(const RoutingSetup& setup)
      : route_(setup.route), detours_(setup.detours), egress_(setup.egress), salt_(setup.salt) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    const SwitchRoute::Candidates ports = ways_to(lid, route_, detours_, context.now());
    if (ports.count < 2) return {only_port(ports, egress_), train.lane};
    const std::uint32_t first = spread(flow_hash(salt_, train), ports.count);
    return {first_usable(ports, first, egress_, context.now()), train.lane};
  }

 private:
  const SwitchRoute& route_;
  Detours* detours_;
  const EgressBank& egress_;
  std::uint64_t salt_;
};

}  // namespace

std::shared_ptr<const RoutingKind> ecmp_routing() {
  return routing_kind<Ecmp>("ecmp", "hash of the flow");
}

}  // namespace lightrail

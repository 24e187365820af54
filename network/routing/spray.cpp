#include <cstdint>
#include <memory>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// What goes to one destination takes turns, so that its ways carry the same within a train. With turns by
/// flow those to one place meet on a port as long as they run: an all-to-all in packets takes 4 to 10 %
/// longer, by seed, and trains would meet for a train's length where packets are spread within a packet of
/// evenly.
///
/// Ports without a link, or with one that is down, are passed over: the next one takes their trains too.
class Spray final : public Routing {
 public:
  explicit Spray(const RoutingSetup& setup)
      : route_(setup.route),
        detours_(setup.detours),
        egress_(setup.egress),
        turns_(setup.salt, setup.flow_entries) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    const SwitchRoute::Candidates ports = ways_to(lid, route_, detours_, context.now());
    if (ports.count < 2) return {only_port(ports, egress_), train.lane};
    const EndpointId to = train.address.to();
    const std::uint32_t place = turns_.place(to, turns_.of(to)++, ports.count);
    return {first_usable(ports, place, egress_, context.now()), train.lane};
  }
  void save(StateWriter& out) const override { turns_.save(out); }
  void load(StateReader& in) override { turns_.load(in); }

 private:
  const SwitchRoute& route_;
  Detours* detours_;
  const EgressBank& egress_;
  DestinationTurns turns_;
};

}  // namespace

std::shared_ptr<const RoutingKind> spray_routing() {
  return routing_kind<Spray>("spray", "each packet to a destination the next port");
}

}  // namespace lightrail

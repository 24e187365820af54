#include "network/routing/adaptive.hpp"

#include <cstdint>
#include <memory>

#include "network/routing/up_down_routings.hpp"

namespace lightrail {

RouteChoice Adaptive::choose_among(const SwitchRoute::Candidates& ports, const Frame& train,
                                   const Context& context) {
  if (ports.count < 2) return {only_port(ports, egress_), train.lane};
  const LoadedPort least =
      least_loaded(ports, ties_.next(), train, train.lane, egress_, context, 2 * mtu_bytes_);
  const bool is_train = train.bytes > mtu_bytes_ && least.port != unroutable;
  return {is_train ? in_turn(ports, least, train, context) : least.port, train.lane};
}

PortIndex Adaptive::in_turn(const SwitchRoute::Candidates& ports, const LoadedPort& least, const Frame& train,
                            const Context& context) {
  const SimTime most = least.load.line() + egress_.line_time(least.port, train.bytes - mtu_bytes_);
  const EndpointId to = train.address.to();
  std::uint32_t& turn = turns_.of(to);
  std::uint32_t place = turns_.place(to, turn, ports.count);
  ByteTime byte;
  for (std::uint32_t i = 1; i <= ports.count; ++i, place = place + 1 < ports.count ? place + 1 : 0) {
    if (!egress_.is_clear(ports[place], context.now())) continue;
    const Backlog load = egress_.backlog(ports[place], train.lane, train.bytes, context, byte);
    if (load.must_wait() != least.load.must_wait() || load.line() > most) continue;
    turn += i;
    return ports[place];
  }
  return least.port;  // where all have trouble
}

std::shared_ptr<const RoutingKind> adaptive_routing() {
  auto kind = routing_kind<Adaptive>(
      "adaptive", "least backlog here and in the next buffer, within two packets drawn, each train");
  kind->remembers = true;
  return kind;
}

}  // namespace lightrail

#include <algorithm>
#include <cstdint>
#include <memory>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// Each packet takes one of the ports that have less than two packets before it, or, where none has so
/// little, of those that are less than two behind the least loaded one, drawn anew: a switch compares classes
/// of what waits, not the picosecond at which a line will be free. By picoseconds hardly two ports are equal,
/// and hosts that send as fast as the lines find the same one free each time; what meets on the way down then
/// meets again and again. Within one packet it still does in part (docs/grain.md, "Least loaded, within two
/// packets").
///
/// Packets of a train would fill up the ports that are less than a train behind the one that the first of
/// them takes, and so spread evenly over what lies behind them. A train has one port: of these, the next in
/// turn for its destination. With the least loaded alone, lines on the way down carry unequal shares of what
/// goes to one place, and twelve packets at a time add up to three times as much as single ones
/// (docs/grain.md).
class alignas(64) Adaptive final : public Routing {
 public:
  explicit Adaptive(const RoutingSetup& setup)
      : route_(&setup.route),
        detours_(setup.detours),
        egress_(setup.egress),
        mtu_bytes_(std::max(setup.mtu_bytes, 1u)),
        ties_(setup.salt),
        turns_(setup.salt, setup.flow_entries) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    const SwitchRoute::Candidates ports = ways_to(lid, route_, detours_, context.now());
    if (ports.count < 2) return {only_port(ports, egress_), train.lane};
    const LoadedPort least =
        least_loaded(ports, ties_.next(), train, train.lane, egress_, context, 2 * mtu_bytes_);
    const bool is_train = train.bytes > mtu_bytes_ && least.port != unroutable;
    return {is_train ? in_turn(ports, least, train, context) : least.port, train.lane};
  }
  void save(StateWriter& out) const override { ties_.save(out), turns_.save(out); }
  void load(StateReader& in) override { ties_.load(in), turns_.load(in); }

 private:
  /// Of `ports` those that packets of `train` would take, the next in turn.
  PortIndex in_turn(const SwitchRoute::Candidates& ports, const LoadedPort& least, const Frame& train,
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

  // A line of what every train needs, then one for those that several ports lead on.
  NearRoute route_;
  Detours* detours_;
  const EgressBank& egress_;
  std::uint32_t mtu_bytes_;
  TieDraw ties_;
  DestinationTurns<std::uint32_t> turns_;  ///< ports that have had theirs
};

}  // namespace

std::shared_ptr<const RoutingKind> adaptive_routing() {
  return routing_kind<Adaptive>(
      "adaptive", "least backlog here and in the next buffer, within two packets drawn, each train");
}

}  // namespace lightrail

#include <algorithm>
#include <cstdint>
#include <memory>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// Of the ports in a circle: those that have had a turn, though some before them have not.
struct SprayTurn {
  static constexpr std::uint32_t most_ahead = 32;

  std::uint32_t passed = 0;  ///< ports that have had their turn, round after round
  std::uint32_t ahead = 0;   ///< bit i: so has the one i places behind these; bit 0 never

  [[nodiscard]] bool has_had(std::uint32_t i) const { return (ahead >> i & 1) != 0; }
  void take(std::uint32_t i) {
    ahead |= 1u << i;
    for (; (ahead & 1) != 0; ahead >>= 1) ++passed;
  }
};

/// What goes to one destination takes turns, so that its ways carry the same within a train. With turns by
/// flow those to one place meet on a port as long as they run: an all-to-all in packets takes 4 to 10 %
/// longer, by seed, and trains would meet for a train's length where packets are spread within a packet of
/// evenly.
///
/// The n packets of a train would go to the next n ports, and add one packet to what waits at each. A train
/// goes to one of these where less than a train waits, the least loaded, and the others stay next in turn: so
/// trains to several destinations meet on a port little more than their packets would (docs/grain.md). Where
/// more waits at all of them the lines are busy anyway, and packets would not look. A single packet never
/// does.
///
/// Ports without a link, or with one that is down, are passed over: the next one takes their trains too.
class Spray final : public Routing {
 public:
  explicit Spray(const RoutingSetup& setup)
      : route_(&setup.route),
        detours_(setup.detours),
        egress_(setup.egress),
        mtu_bytes_(std::max(setup.mtu_bytes, 1u)),
        turns_(setup.salt, setup.flow_entries) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    const SwitchRoute::Candidates ports = ways_to(lid, route_, detours_, context.now());
    if (ports.count < 2) return {only_port(ports, egress_), train.lane};
    const EndpointId to = train.address.to();
    SprayTurn& turn = turns_.of(to);
    const std::uint32_t first = turns_.place(to, turn.passed, ports.count);
    const std::uint32_t i = least_loaded_turn(ports, turn, first, train, context);
    turn.take(i);
    return {port_at(ports, first + i, context), train.lane};
  }
  void save(StateWriter& out) const override { turns_.save(out); }
  void load(StateReader& in) override { turns_.load(in); }

 private:
  /// Whose turn it is at `place`.
  [[nodiscard]] PortIndex port_at(const SwitchRoute::Candidates& ports, std::uint32_t place,
                                  const Context& context) const {
    return first_usable(ports, place % ports.count, egress_, context.now());
  }

  /// How many places behind `first` of `ports`: of as many as `train` has packets, the ports whose turn is
  /// next.
  [[nodiscard]] std::uint32_t least_loaded_turn(const SwitchRoute::Candidates& ports, const SprayTurn& turn,
                                                std::uint32_t first, const Frame& train,
                                                const Context& context) const {
    if (train.bytes <= mtu_bytes_) return 0;
    std::uint32_t left = (train.bytes - 1) / mtu_bytes_ + 1, best = 0;
    SimTime least = SimTime::max();
    ByteTime byte;
    const std::uint32_t end = std::min<std::uint32_t>(ports.count, SprayTurn::most_ahead);
    for (std::uint32_t i = 0; i < end && left > 0; ++i) {
      if (turn.has_had(i)) continue;
      --left;
      const PortIndex port = port_at(ports, first + i, context);
      if (port == unroutable) break;
      const SimTime line = egress_.backlog(port, train.lane, train.bytes, context, byte).line();
      if (line < least && (i == 0 || line <= egress_.line_time(port, train.bytes))) least = line, best = i;
    }
    return best;
  }

  NearRoute route_;
  Detours* detours_;
  const EgressBank& egress_;
  std::uint32_t mtu_bytes_;
  DestinationTurns<SprayTurn> turns_;
};

}  // namespace

std::shared_ptr<const RoutingKind> spray_routing() {
  auto kind = routing_kind<Spray>("spray", "each packet to a destination the next port");
  kind->remembers = true;
  return kind;
}

}  // namespace lightrail

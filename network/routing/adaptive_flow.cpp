#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// As adaptive for the first train of a flowlet, then the same port until the flow pauses: until no packet of
/// it, the last one of a train at the earliest, has come for the gap.
class AdaptiveFlow final : public Routing {
 public:
  explicit AdaptiveFlow(const RoutingSetup& setup)
      : route_(setup.route),
        detours_(setup.detours),
        egress_(setup.egress),
        salt_(setup.salt),
        ties_(setup.salt),
        gap_(setup.flowlet_gap),
        mtu_bytes_(setup.mtu_bytes),
        flows_(setup.flow_entries) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    const SwitchRoute::Candidates ports = ways_to(lid, route_, detours_, context.now());
    if (ports.count < 2) return {only_port(ports, egress_), train.lane};
    const std::uint64_t hash = flow_hash(salt_, train);
    Flow& flow = flows_[spread(mix64(hash), static_cast<std::uint32_t>(flows_.size()))];
    const bool is_known = flow.hash == hash && flow.port != unroutable && context.now() - flow.last <= gap_;
    if (!is_known) flow.port = least_loaded(ports, ties_.next(), train, train.lane, egress_, context).port;
    flow.hash = hash;
    const std::uint32_t before_last = train.bytes - std::min(train.bytes, mtu_bytes_);
    flow.last = context.now() + egress_.line_time(flow.port, before_last);
    return {flow.port, train.lane};
  }
  void save(StateWriter& out) const override { ties_.save(out), out.put(flows_); }
  void load(StateReader& in) override { ties_.load(in), in.get(flows_); }

 private:
  struct Flow {
    std::uint64_t hash = 0;
    SimTime last{-1};  ///< its last packet, as if the way in were as fast as the way out
    PortIndex port = unroutable;
    std::uint16_t unused[3] = {};
  };
  const SwitchRoute& route_;
  Detours* detours_;
  const EgressBank& egress_;
  std::uint64_t salt_;
  TieDraw ties_;
  SimTime gap_;
  std::uint32_t mtu_bytes_;
  std::vector<Flow> flows_;  ///< direct-mapped: a newcomer replaces the flow in its place
};

}  // namespace

std::shared_ptr<const RoutingKind> adaptive_flow_routing() {
  return routing_kind<AdaptiveFlow>("adaptive-flow", "least backlog, each flowlet");
}

}  // namespace lightrail

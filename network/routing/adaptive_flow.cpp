#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// The least loaded port for the first packet of a flowlet, then the same until the flow pauses: until none
/// of its packets has come for the gap.
///
/// When the packets of a train would have come shows in the trains. On an idle line they follow one another,
/// and the flow pauses from the last one on. A sender with several flows sends their packets in turns, and
/// one that lacks credits sends them as earlier ones leave the switch: a whole train then stands for packets
/// that would have come one by one until the next. So where trains of other flows have come in since on the
/// same line, or the flow's last one has not left the switch for as long as the gap, its packets count as
/// evenly spread over the time to the next train.
class AdaptiveFlow final : public Routing {
 public:
  explicit AdaptiveFlow(const RoutingSetup& setup)
      : route_(&setup.route),
        detours_(setup.detours),
        egress_(setup.egress),
        salt_(setup.salt),
        ties_(setup.salt),
        gap_(setup.flowlet_gap),
        mtu_bytes_(setup.mtu_bytes),
        flows_(setup.flow_entries),
        came_(setup.egress.port_count()) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex from, const Context& context) override {
    const bool came_in = from < came_.size();  // else the switch sends it by itself (self_port)
    const std::uint32_t before_last = train.bytes - std::min(train.bytes, mtu_bytes_);
    const std::uint32_t came_before = came_in ? came_[from] : 0;
    if (came_in) came_[from] += before_last;
    const SwitchRoute::Candidates ports = ways_to(lid, route_, detours_, context.now());
    if (ports.count < 2) return {only_port(ports, egress_), train.lane};
    const std::uint64_t hash = flow_hash(salt_, train);
    Flow& flow = flows_[spread(mix64(hash), static_cast<std::uint32_t>(flows_.size()))];
    const bool is_known =
        flow.hash == hash && flow.port != unroutable &&
        pause_of(flow, flow.from == from && flow.came != came_before, context.now()) <= gap_;
    if (!is_known) flow.port = least_loaded(ports, ties_.next(), train, train.lane, egress_, context).port;
    flow.hash = hash, flow.first = context.now(), flow.before_last = before_last;
    flow.left =
        std::max(egress_.free_at(flow.port), context.now()) + egress_.line_time(flow.port, before_last);
    flow.from = came_in ? from : unroutable, flow.came = came_before + before_last;
    return {flow.port, train.lane};
  }
  void save(StateWriter& out) const override { ties_.save(out), out.put(flows_), out.put(came_); }
  void load(StateReader& in) override { ties_.load(in), in.get(flows_), in.get(came_); }

 private:
  struct Flow {
    std::uint64_t hash = 0;
    SimTime first{-1}, left{-1};    ///< its last train's first packet has come, its last one has left
    std::uint32_t before_last = 0;  ///< of this train, all but its last packet [B]
    std::uint32_t came = 0;         ///< came_[from] after it
    PortIndex port = unroutable;
    PortIndex from = unroutable;  ///< where it came in
    std::uint32_t unused = 0;
  };
  /// Between two packets of `flow` before one that comes `now`; others_came: on its line, since its last
  /// train.
  [[nodiscard]] SimTime pause_of(const Flow& flow, bool others_came, SimTime now) const {
    if (others_came || now - flow.left < gap_)
      return (now - flow.first) / (1 + (flow.before_last + mtu_bytes_ - 1) / mtu_bytes_);
    return now - flow.first - egress_.line_time(flow.port, flow.before_last);
  }

  NearRoute route_;
  Detours* detours_;
  const EgressBank& egress_;
  std::uint64_t salt_;
  TieDraw ties_;
  SimTime gap_;
  std::uint32_t mtu_bytes_;
  std::vector<Flow> flows_;  ///< direct-mapped: a newcomer replaces the flow in its place
  /// By port: trains that came in but for the last packet of each [B], modulo 2^32.
  std::vector<std::uint32_t> came_;
};

}  // namespace

std::shared_ptr<const RoutingKind> adaptive_flow_routing() {
  auto kind = routing_kind<AdaptiveFlow>("adaptive-flow", "least backlog, each flowlet");
  kind->remembers = kind->sees_pauses = true;
  return kind;
}

}  // namespace lightrail

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// The least loaded port for the first train of a flowlet, then the same until the flow pauses: until no
/// packet of it, the last one of a train at the earliest, has come for the gap.
///
/// A sender that lacks credits sends its packets as earlier ones leave the switch, one by one and so without
/// a pause, but its trains a train's time apart. So a flow of trains does not pause before its last one has
/// left, as far as the line is reserved.
///
/// While trains of other flows come in on the same line the flow does not pause: its packets would have come
/// between theirs. Of each such train only the last packet counts as pause, so that at packet level all time
/// between two packets does.
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
    const bool is_known = flow.hash == hash && flow.port != unroutable &&
                          context.now() - flow.last - time_of_others(flow, from, came_before) <= gap_;
    if (!is_known) flow.port = least_loaded(ports, ties_.next(), train, train.lane, egress_, context).port;
    flow.hash = hash;
    flow.last = context.now() + egress_.line_time(flow.port, before_last);
    if (before_last > 0) flow.last += std::max(egress_.free_at(flow.port) - context.now(), SimTime{0});
    flow.from = came_in ? from : unroutable, flow.came = came_before + before_last;
    return {flow.port, train.lane};
  }
  void save(StateWriter& out) const override { ties_.save(out), out.put(flows_), out.put(came_); }
  void load(StateReader& in) override { ties_.load(in), in.get(flows_), in.get(came_); }

 private:
  struct Flow {
    std::uint64_t hash = 0;
    SimTime last{-1};  ///< its last packet has come, as if the way in were as fast as the way out, and left
    PortIndex port = unroutable;
    PortIndex from = unroutable;  ///< where its last train came in
    std::uint32_t came = 0;       ///< came_[from] after it
  };
  /// How long packets of other flows were on the line between the flow's last train and one now.
  [[nodiscard]] SimTime time_of_others(const Flow& flow, PortIndex from, std::uint32_t came_before) const {
    return flow.from == from ? egress_.line_time(from, came_before - flow.came) : SimTime{0};
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
  return routing_kind<AdaptiveFlow>("adaptive-flow", "least backlog, each flowlet");
}

}  // namespace lightrail

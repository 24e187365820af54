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
///
/// While trains of other flows come in on the same line the flow does not pause: its packets would have come
/// between theirs. Only one packet of each of them counts, so that at packet level all time does.
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
        flows_(setup.flow_entries),
        came_(setup.egress.port_count()) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex from, const Context& context) override {
    const std::uint32_t before_last = train.bytes - std::min(train.bytes, mtu_bytes_);
    const std::uint32_t others = came_[from];
    came_[from] += before_last;
    const SwitchRoute::Candidates ports = ways_to(lid, route_, detours_, context.now());
    if (ports.count < 2) return {only_port(ports, egress_), train.lane};
    const std::uint64_t hash = flow_hash(salt_, train);
    Flow& flow = flows_[spread(mix64(hash), static_cast<std::uint32_t>(flows_.size()))];
    const bool is_known = flow.hash == hash && flow.port != unroutable &&
                          context.now() - flow.last - time_of_others(flow, from, others) <= gap_;
    if (!is_known) flow.port = least_loaded(ports, ties_.next(), train, train.lane, egress_, context).port;
    flow.hash = hash;
    flow.last = context.now() + egress_.line_time(flow.port, before_last);
    flow.from = from, flow.came = came_[from];
    return {flow.port, train.lane};
  }
  void save(StateWriter& out) const override { ties_.save(out), out.put(flows_), out.put(came_); }
  void load(StateReader& in) override { ties_.load(in), in.get(flows_), in.get(came_); }

 private:
  struct Flow {
    std::uint64_t hash = 0;
    SimTime last{-1};  ///< its last packet, as if the way in were as fast as the way out
    PortIndex port = unroutable;
    PortIndex from = unroutable;
    std::uint32_t came = 0;  ///< on `from`, until its last train
  };
  /// For which packets of other flows were on the line between the flow's last train and this one.
  [[nodiscard]] SimTime time_of_others(const Flow& flow, PortIndex from, std::uint32_t came) const {
    return flow.from == from ? egress_.line_time(flow.port, came - flow.came) : SimTime{0};
  }
  const SwitchRoute& route_;
  Detours* detours_;
  const EgressBank& egress_;
  std::uint64_t salt_;
  TieDraw ties_;
  SimTime gap_;
  std::uint32_t mtu_bytes_;
  std::vector<Flow> flows_;  ///< direct-mapped: a newcomer replaces the flow in its place
  std::vector<std::uint32_t>
      came_;  ///< by port: bytes of trains but for the last packet of each [B], modulo 2^32
};

}  // namespace

std::shared_ptr<const RoutingKind> adaptive_flow_routing() {
  return routing_kind<AdaptiveFlow>("adaptive-flow", "least backlog, each flowlet");
}

}  // namespace lightrail

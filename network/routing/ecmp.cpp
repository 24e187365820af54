#include <cstdint>
#include <memory>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"
#include "network/transport/queue_pairs.hpp"
#include "network/wire/numbered_train.hpp"

namespace lightrail {

namespace {

/// Frames of a flow that say entropy values of their own go the way of theirs; queue pairs with disjoint ways
/// take different ones. Ports without a link, or with
/// one that is down, are passed over.
class Ecmp final : public Routing {
 public:
  explicit Ecmp(const RoutingSetup& setup)
      : route_(&setup.route),
        detours_(setup.detours),
        egress_(setup.egress),
        salt_(setup.salt),
        entropy_values_(setup.entropy_values),
        queue_pairs_(setup.queue_pairs) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    const SwitchRoute::Candidates ports = ways_to(lid, route_, detours_, context.now());
    if (ports.count < 2) return {only_port(ports, egress_), train.lane};
    const FlowWay way = way_of(train.address, queue_pairs_, true);
    std::uint64_t hash = flow_hash(salt_, way.hashed);
    if (const std::uint32_t value = entropy_of(train, entropy_values_); value > 0)
      hash = hash_combine(hash, value);
    const std::uint32_t first = spread(hash, ports.count, way.further);
    return {first_usable(ports, first, egress_, context.now()), train.lane};
  }

 private:
  NearRoute route_;
  Detours* detours_;
  const EgressBank& egress_;
  std::uint64_t salt_;
  std::uint32_t entropy_values_;
  const QueuePairs* queue_pairs_;
};

}  // namespace

std::shared_ptr<const RoutingKind> ecmp_routing() {
  auto kind = routing_kind<Ecmp>("ecmp", "hash of the flow");
  kind->fixes_ways = true;
  return kind;
}

}  // namespace lightrail

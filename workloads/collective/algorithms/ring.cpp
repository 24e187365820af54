#include "workloads/collective/ring.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/cost_model.hpp"
#include "workloads/collective/cost_terms.hpp"

namespace lightrail {
namespace {

/// NCCL's rings: one over the members of a server; over several, one a rail.
class Ring final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "ring"; }
  [[nodiscard]] std::string doc() const override {
    return "blocks around rings over the members, one a rail over several servers";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override {
    switch (type) {
      case CollectiveType::all_reduce:
      case CollectiveType::all_gather:
      case CollectiveType::reduce_scatter:
      case CollectiveType::broadcast:
        return true;
      case CollectiveType::all_to_all:
      case CollectiveType::barrier:
      case CollectiveType::none:
        return false;
    }
    return false;
  }
  [[nodiscard]] bool serves_folded(CollectiveType type) const override {
    return serves(type) && type != CollectiveType::broadcast;
  }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::by_cost; }

  /// base + (steps - inter) * max(hop(NVLink or PCIe), posts) + inter * hop(net), inter = 2 servers
  /// (all-reduce), servers - 1; the whole rate of the rails (one server: of NVLink) x n / steps x efficiency;
  /// all-reduces of Simple over servers ring-plateau times the latency once members have 64 B a channel.
  [[nodiscard]] std::optional<double> cost(const NcclSettings& settings, const GroupPlan& plan, const Op& op,
                                           Protocol protocol) const override {
    const std::uint32_t n = plan.ring_size(), servers = plan.ring_servers();
    // A broadcast streams through all members: as many steps of latency, once over the bandwidth.
    const bool is_stream = op.collective == CollectiveType::broadcast;
    const double steps = ring_steps(op.collective, n);
    const double inter = servers == 1                                  ? 0
                         : op.collective == CollectiveType::all_reduce ? std::min(steps, 2.0 * servers)
                         : is_stream                                   ? std::min(steps, 1.0 * servers)
                                                                       : servers - 1;
    const Medium local = plan.has_nvlink ? Medium::nvlink : Medium::pci;
    // From 2.23 on: of one GPU a server no hop hides behind another, and NCCL counts the trees' for each.
    const SimTime net = settings.has_pat && n == servers ? settings.tree_hop(protocol, Medium::net)
                                                         : settings.hop(protocol, Medium::net);
    // Over servers no step is shorter than what the proxy thread takes for it: in Simple three posts.
    const SimTime post =
        servers == 1 ? SimTime{0} : (protocol == Protocol::simple ? 3 : 1) * settings.net_overhead;
    const double latency = (seconds(settings.base(protocol)) +
                            (steps - inter) * seconds(std::max(settings.hop(protocol, local), post)) +
                            inter * net_seconds(plan, protocol, net)) *
                           ring_plateau(settings, plan, op.collective, protocol, op.bytes);
    double bits = bits_of(plan.local_rate);
    if (servers > 1) {
      const double rails = bits_of(plan.net_rate) * plan.channels;
      bits = n == servers ? rails : std::min(bits, rails);
    }
    bits = within_limits(bits * settings.efficiency(protocol), settings, plan, protocol);
    const double passes = is_stream ? 1 : steps / n;
    return bits <= 0 ? latency : latency + static_cast<double>(op.bytes) * 8 * passes / bits;
  }

  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op& op, Protocol protocol) const override {
    return scaled(plan.nccl->base(protocol), ring_scale(*plan.nccl, plan, op.collective, protocol, op.bytes));
  }

  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override {
    if (in.op.collective == CollectiveType::broadcast) return RingStream{};
    // Members of one NVSwitch: whom a step goes to makes no difference to the lines that it takes.
    const bool is_folded = in.plan.nccl->fold_rings && in.plan.has_nvlink && in.plan.has_equal_nvlink &&
                           in.plan.ring_servers() == 1;
    if (is_folded) return FoldedRing{};
    return RingSteps{};
  }
};

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> ring_algorithm() {
  return std::make_shared<const Ring>();
}

}  // namespace lightrail

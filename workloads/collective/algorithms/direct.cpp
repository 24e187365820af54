#include <memory>
#include <optional>
#include <string>

#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/cost_terms.hpp"

namespace lightrail {
namespace {

/// NCCL's grouped sends and receives, and its barrier.
class Direct final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "direct"; }
  [[nodiscard]] std::string doc() const override {
    return "every share to its member at once, as grouped sends; a barrier in ceil(log2 n) rounds";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override {
    return type == CollectiveType::all_to_all || type == CollectiveType::barrier;
  }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::by_message; }
  /// NCCL has no other for these: the start, and the bytes over the slower of NVLink and NIC.
  [[nodiscard]] std::optional<double> cost(const NcclSettings& settings, const GroupPlan& plan, const Op& op,
                                           Protocol protocol) const override {
    const BitRate rate = plan.servers() > 1 ? plan.net_rate : plan.local_rate;
    return with_transfer(seconds(settings.point_base(protocol)), static_cast<double>(op.bytes),
                         bits_of(rate));
  }
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op& op, Protocol protocol) const override {
    return op.collective == CollectiveType::barrier ? plan.nccl->base(protocol)
                                                    : plan.nccl->point_base(protocol);
  }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override {
    if (in.op.collective == CollectiveType::barrier) return Dissemination{};
    return PeerMessages{};
  }
};

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> direct_algorithm() {
  return std::make_shared<const Direct>();
}

}  // namespace lightrail

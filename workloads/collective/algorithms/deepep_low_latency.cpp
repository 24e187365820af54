#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/exchange_places.hpp"

namespace lightrail {
namespace {

/// DeepEP's low-latency dispatch: every copy straight to its GPU, over the fabric from the own NIC, repeated
/// for every expert; in one server over NVLink. `op.bytes` are the copies of all tokens, one an expert. A
/// combine takes as long.
class DeepEpLowLatency final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "deepep-low-latency"; }
  [[nodiscard]] std::string doc() const override {
    return "DeepEP, low latency: every copy straight to its GPU";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override { return type == CollectiveType::all_to_all; }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::by_message; }
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op&, Protocol) const override {
    return plan.servers() > 1 ? plan.nccl->deepep_start : plan.nccl->deepep_low_latency_nvlink;
  }
  [[nodiscard]] std::vector<const char*> borrowed(const GroupPlan& plan,
                                                  const NcclDevice* own) const override {
    if (plan.servers() > 1) return {};
    std::vector<const char*> names;
    if (!own || own->deepep_low_latency_nvlink == SimTime{0}) names.push_back("deepep-low-latency-nvlink");
    if (plan.has_nvlink && (!own || own->deepep_low_latency_nvlink_efficiency == 0))
      names.push_back("deepep-low-latency-nvlink-efficiency");
    return names;
  }
  [[nodiscard]] TokenBuffers token_buffers() const override { return TokenBuffers::arrival; }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override {
    const ExchangePlaces places(in);
    const std::uint32_t n = places.size(), me = places.me();
    auto message = [&](std::uint32_t index, std::int64_t payload) {
      return ExchangePlan::Message{
          places.member(index), payload,
          in.plan.nccl->deepep_low_latency_wire_bytes(places.medium(index), in.plan.servers() == 1, payload),
          SimTime{0}};
    };
    ExchangePlan::Round round;
    for (std::uint32_t d = 0; d < n; ++d) {
      const std::uint32_t to = (me + d) % n, from = (me + n - d) % n;
      add_message(round.sends, message(to, in.share(me, to)));
      add_message(round.receives, message(from, in.share(from, me)));
    }
    return ExchangePlan{.rounds = {std::move(round)}, .is_by_gpu = true};
  }
};

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> deepep_low_latency_algorithm() {
  return std::make_shared<const DeepEpLowLatency>();
}

}  // namespace lightrail

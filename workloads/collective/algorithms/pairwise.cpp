#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/exchange_places.hpp"

namespace lightrail {
namespace {

/// All-to-all in n - 1 rounds: with me + r and me - r at a time.
class Pairwise final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "pairwise"; }
  [[nodiscard]] std::string doc() const override {
    return "n - 1 rounds, in each one member to send to and one to hear";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override { return type == CollectiveType::all_to_all; }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::by_message; }
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op&, Protocol protocol) const override {
    return plan.nccl->point_base(protocol);
  }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override {
    const ExchangePlaces places(in);
    const std::uint32_t n = places.size(), me = places.me();
    ExchangePlan all;
    for (std::uint32_t d = 0; d < n; ++d) {
      ExchangePlan::Round round;
      const std::uint32_t to = (me + d) % n, from = (me + n - d) % n;
      add_message(round.sends, places.message(to, in.share(me, to)));
      add_message(round.receives, places.message(from, in.share(from, me)));
      // The own share moves beside the others.
      if (d > 1) round.after = d - 1;
      all.rounds.push_back(std::move(round));
    }
    return all;
  }
};

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> pairwise_algorithm() {
  return std::make_shared<const Pairwise>();
}

}  // namespace lightrail

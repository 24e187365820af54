#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/cost_terms.hpp"
#include "workloads/collective/exchange_places.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail {
namespace {

// NCCL's tuning table, 2.24 to 2.30: a level counts as a 3.5th of a hop, each member adds to the latency, and
// trees reach three quarters of the rails (2.23: 0.85 of them).
constexpr double levels_a_hop = 3.5, seconds_a_member = 2.8e-6, share_of_rails = 0.75;

/// NCCL's parallel aggregated trees: ceil(log2 n) rounds, the farthest first (all-gather) or last; the round
/// of distance d carries the blocks whose offset is a multiple of 2 d.
class Pat final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "pat"; }
  [[nodiscard]] std::string doc() const override {
    return "parallel aggregated trees: ceil(log2 n) rounds of many blocks";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override {
    return type == CollectiveType::all_gather || type == CollectiveType::reduce_scatter;
  }
  [[nodiscard]] std::optional<std::string> hindrance(const GroupPlan& plan, const Op&) const override {
    if (!plan.nccl->has_pat) return "is not in this version of NCCL: 2.23 is the first that has it";
    if (plan.size() != plan.servers()) return "needs one GPU of each server, as NCCL's does";
    return std::nullopt;
  }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::simple_only; }
  /// base + floor(log2 servers) * hop(net) / 3.5 + servers * 2.8 us; three quarters of the rails. What it
  /// takes then is less, for large groups by far (plan()).
  [[nodiscard]] std::optional<double> cost(const NcclSettings& settings, const GroupPlan& plan, const Op& op,
                                           Protocol protocol) const override {
    const double servers = plan.servers(), levels = std::bit_width(plan.servers()) - 1;
    const double latency = seconds(settings.pat_base) +
                           levels * net_seconds(plan, protocol, settings.pat_net) / levels_a_hop +
                           servers * seconds_a_member;
    const double rails = bits_of(plan.net_rate) * plan.channels * share_of_rails;
    return with_transfer(latency, static_cast<double>(op.bytes), rails);
  }
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op&, Protocol) const override {
    return plan.nccl->pat_base;
  }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override;
};

CollectivePlan Pat::plan(const CollectiveInput& in) const {
  const ExchangePlaces places(in);
  const std::uint32_t n = places.size(), me = places.me();
  const NcclSettings& nccl = *in.plan.nccl;
  const bool is_gather = in.op.collective == CollectiveType::all_gather;
  // Blocks of the owners first, first + 2 d, ... whose offset from `first` leaves room for d more.
  auto blocks = [&](std::uint32_t first, std::uint32_t d) {
    std::int64_t bytes = 0;
    for (std::uint32_t o = 0; o + d < n; o += 2 * d)
      bytes += part_bytes(in.op.bytes, in.op.element_bytes, n, (first + o) % n);
    return bytes;
  };
  auto message = [&](std::uint32_t index, std::int64_t payload) {
    const Medium via = places.medium(index);
    return ExchangePlan::Message{places.member(index), payload, nccl.wire_bytes(in.protocol, via, payload),
                                 nccl.pat_software(via)};
  };
  ExchangePlan all;
  std::uint32_t far = 1;
  while (far * 2 < n) far *= 2;
  for (std::uint32_t d = is_gather ? far : 1; d >= 1 && d < n; d = is_gather ? d / 2 : d * 2) {
    ExchangePlan::Round round;
    const std::uint32_t up = (me + d) % n, down = (me + n - d) % n;
    // A gather hands the own blocks down; a reduction hands the sums of those above up.
    add_message(round.sends, message(is_gather ? down : up, blocks(is_gather ? me : up, d)));
    add_message(round.receives, message(is_gather ? up : down, blocks(is_gather ? up : me, d)));
    if (!all.rounds.empty()) round.after = static_cast<std::uint32_t>(all.rounds.size()) - 1;
    all.rounds.push_back(std::move(round));
  }
  return all;
}

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> pat_algorithm() {
  return std::make_shared<const Pat>();
}

}  // namespace lightrail

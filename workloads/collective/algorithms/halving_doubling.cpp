#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/exchange_places.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail {
namespace {

/// Rabenseifner's all-reduce, by the group's order: a reduce-scatter by recursive halving (partners at
/// distance 1, 2, 4 ... exchange a half, a quarter, an eighth ... of the buffer), then an all-gather by
/// recursive doubling, the same way back. So the large messages go to neighbours. 2 log2 n steps, 2 (n - 1) /
/// n of the buffer sent.
///
/// Where n is no power of two, the first 2 r members, r = n less the power of two below it, fold in pairs:
/// each adds up one half of the buffer for both, the even one gets the other half and goes on alone, and
/// hands the result back at the end: three more steps, twice the buffer more on the way. Source: Thakur,
/// Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", 2005, 4.5. Assumed: a
/// step takes what a step of NCCL's rings takes in Simple, which has no such algorithm itself.
class HalvingDoubling final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "halving-doubling"; }
  [[nodiscard]] std::string doc() const override {
    return "recursive halving, then recursive doubling: 2 log2 n steps with partners (Rabenseifner)";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override {
    return type == CollectiveType::all_reduce || type == CollectiveType::all_gather ||
           type == CollectiveType::reduce_scatter;
  }
  [[nodiscard]] std::optional<std::string> hindrance(const GroupPlan& plan, const Op& op) const override {
    if (op.collective != CollectiveType::all_reduce && !std::has_single_bit(plan.size()))
      return "needs a power-of-two number of GPUs for all-gather and reduce-scatter";
    return std::nullopt;
  }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::simple_only; }
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op&, Protocol protocol) const override {
    return plan.nccl->base(protocol);
  }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override;
};

/// The rounds of one member.
class Rounds {
 public:
  explicit Rounds(const CollectiveInput& in)
      : in_(in), places_(in), core_(std::bit_floor(places_.size())), pairs_(places_.size() - core_) {}

  ExchangePlan take() && {
    const std::uint32_t me = places_.me();
    const bool is_paired = me < 2 * pairs_, is_core = !is_paired || me % 2 == 0;
    if (is_paired) fold(me ^ 1, is_core);
    const std::uint32_t place = is_paired ? me / 2 : me - pairs_;
    if (is_core && in_.op.collective != CollectiveType::all_gather)
      for (std::uint32_t d = 1; d < core_; d *= 2) exchange(place, d, false);
    if (is_core && in_.op.collective != CollectiveType::reduce_scatter)
      for (std::uint32_t d = core_ / 2; d >= 1; d /= 2) exchange(place, d, true);
    if (is_paired) add(me ^ 1, is_core ? in_.op.bytes : 0, is_core ? 0 : in_.op.bytes);
    return std::move(all_);
  }

 private:
  /// Each of a pair adds up a half of the buffer; the odd one hands its sum on.
  void fold(std::uint32_t partner, bool is_even) {
    const std::int64_t first = part(2, 0), second = part(2, 1);
    add(partner, is_even ? second : first, is_even ? first : second);
    add(partner, is_even ? 0 : second, is_even ? second : 0);
  }

  /// With the partner at distance `d`: its parts for the own, which are those of the places that agree with
  /// one's in all bits up to that of `d`.
  void exchange(std::uint32_t place, std::uint32_t d, bool is_gather) {
    std::int64_t own = 0, other = 0;
    for (std::uint32_t i = 0; i < core_; i += 2 * d) {
      own += part(core_, i + place % (2 * d));
      other += part(core_, i + (place ^ d) % (2 * d));
    }
    const std::uint32_t partner = place ^ d;
    add(partner < pairs_ ? 2 * partner : partner + pairs_, is_gather ? own : other, is_gather ? other : own);
  }

  [[nodiscard]] std::int64_t part(std::uint32_t parts, std::uint32_t index) const {
    return part_bytes(in_.op.bytes, in_.op.element_bytes, parts, index);
  }

  /// A round after the one before, with `partner`: payloads [B], 0: no message.
  void add(std::uint32_t partner, std::int64_t sent, std::int64_t received) {
    ExchangePlan::Round round;
    add_message(round.sends, message(partner, sent));
    add_message(round.receives, message(partner, received));
    if (!all_.rounds.empty()) round.after = static_cast<std::uint32_t>(all_.rounds.size()) - 1;
    all_.rounds.push_back(std::move(round));
  }

  [[nodiscard]] ExchangePlan::Message message(std::uint32_t index, std::int64_t payload) const {
    const NcclSettings& nccl = *in_.plan.nccl;
    const Medium via = places_.medium(index);
    return {places_.member(index), payload, nccl.wire_bytes(in_.protocol, via, payload),
            nccl.software(in_.protocol, via)};
  }

  const CollectiveInput& in_;
  ExchangePlaces places_;
  std::uint32_t core_;   ///< members of the halving: the power of two
  std::uint32_t pairs_;  ///< of the first members, the even one of each in the core
  ExchangePlan all_;
};

CollectivePlan HalvingDoubling::plan(const CollectiveInput& in) const {
  return Rounds(in).take();
}

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> halving_doubling_algorithm() {
  return std::make_shared<const HalvingDoubling>();
}

}  // namespace lightrail

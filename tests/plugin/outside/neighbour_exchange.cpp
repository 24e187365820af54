#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/registry/registry.hpp"
#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/exchange_places.hpp"
#include "workloads/collective/ring.hpp"

namespace {

using namespace lightrail;

/// Neighbour exchange (Chen et al., ISPDC 2005; in Open MPI): an all-gather of n / 2 rounds. First a member
/// and one of its neighbours swap their own blocks; then it goes on with the other neighbour and the first in
/// turns, and each time passes on the two blocks that it got last. Twice as few rounds as a ring. In one
/// server a block of b bytes to a neighbour takes t(b), so it ends at start + t(b) + (n / 2 - 1) t(2 b).
class NeighbourExchange final : public CollectiveAlgorithm {
 public:
  std::string name() const override { return "neighbour-exchange"; }
  std::string doc() const override { return "n / 2 rounds with one neighbour and the other in turns"; }
  bool serves(CollectiveType type) const override { return type == CollectiveType::all_gather; }
  std::optional<std::string> hindrance(const GroupPlan& plan, const Op&) const override {
    if (plan.size() % 2 != 0) return "needs an even number of members";
    return std::nullopt;
  }
  ProtocolRule protocol_rule() const override { return ProtocolRule::by_message; }
  SimTime start_delay(const GroupPlan& plan, const Op&, Protocol protocol) const override {
    return plan.nccl->point_base(protocol);
  }

  CollectivePlan plan(const CollectiveInput& in) const override {
    const ExchangePlaces places(in);
    const std::uint32_t n = places.size(), me = places.me();
    const auto block = [&](std::uint32_t owner) {
      return part_bytes(in.op.bytes, in.op.element_bytes, n, owner);
    };
    const auto goes_right = [&](std::uint32_t round) { return (me + round) % 2 == 0; };
    // Members 2 p and 2 p + 1 have the same blocks after round 0. What comes in is from the next pair that is
    // not here yet, to the right and to the left in turns.
    const auto pair_received = [&](std::uint32_t round) {
      const std::uint32_t distance = 2 * ((round + 1) / 2);
      const std::uint32_t first = (me - me % 2 + (goes_right(round) ? distance : n - distance)) % n;
      return block(first) + block(first + 1);
    };
    ExchangePlan all;
    for (std::uint32_t r = 0; r < n / 2; ++r) {
      const std::uint32_t peer = (me + (goes_right(r) ? 1 : n - 1)) % n;
      ExchangePlan::Round round;
      add_message(round.sends, places.message(peer, r == 0 ? block(me) : pair_received(r - 1)));
      add_message(round.receives, places.message(peer, r == 0 ? block(peer) : pair_received(r)));
      if (r > 0) round.after = r - 1;
      all.rounds.push_back(std::move(round));
    }
    return all;
  }
};

}  // namespace

extern "C" void lightrail_plugin_register(lightrail::Registry& registry) {
  registry.algorithms.add(std::make_shared<const NeighbourExchange>());
}

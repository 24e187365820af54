#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/exchange_places.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail {
namespace {

/// Every member to every other at once. All-reduce: its whole buffer, n (n - 1) S in all; all-gather: its
/// part; reduce-scatter: the receiver's part; broadcast: from the root; all-to-all: their shares. It is how
/// planners of networks count traffic, and needs no NVLink or rails to be any order.
class FullMesh final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "full-mesh"; }
  [[nodiscard]] std::string doc() const override {
    return "everybody sends to everybody at once, as planners of networks count traffic";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override {
    return type != CollectiveType::none && type != CollectiveType::barrier;
  }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::by_message; }
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op&, Protocol protocol) const override {
    return plan.nccl->point_base(protocol);
  }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override {
    const ExchangePlaces places(in);
    const std::uint32_t n = places.size(), me = places.me();
    ExchangePlan::Round round;
    for (std::uint32_t d = in.op.collective == CollectiveType::all_to_all ? 0 : 1; d < n; ++d) {
      const std::uint32_t to = (me + d) % n, from = (me + n - d) % n;
      add_message(round.sends, places.message(to, bytes(in, me, to)));
      add_message(round.receives, places.message(from, bytes(in, from, me)));
    }
    return ExchangePlan{.rounds = {std::move(round)}};
  }

 private:
  static std::int64_t bytes(const CollectiveInput& in, std::uint32_t from, std::uint32_t to) {
    const Op& op = in.op;
    switch (op.collective) {
      case CollectiveType::all_reduce:
        return op.bytes;
      case CollectiveType::all_gather:
        return part_bytes(op.bytes, op.element_bytes, in.group.size, from);
      case CollectiveType::reduce_scatter:
        return part_bytes(op.bytes, op.element_bytes, in.group.size, to);
      case CollectiveType::broadcast:
        return from == op.root ? op.bytes : 0;
      case CollectiveType::all_to_all:
        return in.share(from, to);
      case CollectiveType::barrier:
      case CollectiveType::none:
        return 0;
    }
    return 0;
  }
};

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> full_mesh_algorithm() {
  return std::make_shared<const FullMesh>();
}

}  // namespace lightrail

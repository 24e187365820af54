#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/exchange_places.hpp"

namespace lightrail {
namespace {

/// All-to-all in two steps: over NVLink to the local member of the receiver's place, from there all that its
/// server has for that receiver in one message over the rail. Cut into slices, so that the steps overlap.
class Hierarchical final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "hierarchical"; }
  [[nodiscard]] std::string doc() const override {
    return "over NVLink to the neighbour on the receiver's rail, then a server's shares in one message";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override { return type == CollectiveType::all_to_all; }
  [[nodiscard]] std::optional<std::string> hindrance(const GroupPlan& plan, const Op&) const override {
    if (!plan.is_even()) return "needs the same number of GPUs of each server";
    return std::nullopt;
  }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::by_message; }
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op&, Protocol protocol) const override {
    return plan.nccl->point_base(protocol);
  }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override;
};

CollectivePlan Hierarchical::plan(const CollectiveInput& in) const {
  const ExchangePlaces places(in);
  const std::uint32_t n = places.size(), me = places.me(), mine = places.server(), m = places.members();
  // What local member `from` hands to local member `to`: all for its place in the other servers.
  auto near = [&](std::uint32_t from, std::uint32_t to) {
    std::int64_t bytes = 0;
    for (std::uint32_t s = 0; s < places.servers(); ++s)
      if (s != mine) bytes += in.share(places.at(mine, from), places.at(s, to));
    return bytes;
  };
  // What server `s` has for place `to` of server `t`.
  auto far = [&](std::uint32_t s, std::uint32_t t, std::uint32_t to) {
    std::int64_t bytes = 0;
    for (std::uint32_t i = 0; i < m; ++i) bytes += in.share(places.at(s, i), places.at(t, to));
    return bytes;
  };
  const std::int64_t slices = exchange_slices(in.op.bytes / n * m, in.plan.nccl->point_chunk_net.value);
  ExchangePlan all;
  ExchangePlan::Round own;  // within the server nothing is handed on
  for (std::uint32_t i = 0; i < m; ++i) {
    const std::uint32_t peer = places.at(mine, (places.place() + i) % m);
    add_message(own.sends, places.message(peer, in.share(me, peer)));
    add_message(own.receives, places.message(peer, in.share(peer, me)));
  }
  for (std::int64_t k = 0; k < slices; ++k) {
    ExchangePlan::Round gather, send;
    gather.lane = 1;
    send.lane = 2;
    send.after = static_cast<std::uint32_t>(all.rounds.size());
    for (std::uint32_t i = 1; i < m; ++i) {
      const std::uint32_t to = (places.place() + i) % m, from = (places.place() + m - i) % m;
      add_message(gather.sends,
                  places.message(places.at(mine, to), slice_of(near(places.place(), to), slices, k)));
      add_message(gather.receives,
                  places.message(places.at(mine, from), slice_of(near(from, places.place()), slices, k)));
    }
    for (std::uint32_t i = 1; i < places.servers(); ++i) {
      const std::uint32_t t = (mine + i) % places.servers(),
                          s = (mine + places.servers() - i) % places.servers();
      add_message(send.sends, places.message(places.at(t, places.place()),
                                             slice_of(far(mine, t, places.place()), slices, k)));
      add_message(send.receives, places.message(places.at(s, places.place()),
                                                slice_of(far(s, mine, places.place()), slices, k)));
    }
    all.rounds.push_back(std::move(gather));
    all.rounds.push_back(std::move(send));
  }
  all.rounds.push_back(std::move(own));
  return all;
}

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> hierarchical_algorithm() {
  return std::make_shared<const Hierarchical>();
}

}  // namespace lightrail

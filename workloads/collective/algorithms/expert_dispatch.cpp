#include "workloads/collective/algorithms/expert_dispatch.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/collective/exchange_places.hpp"
#include "workloads/collective/expert_routes.hpp"
#include "workloads/program/expert_counts.hpp"

namespace lightrail {

std::optional<std::string> ExpertDispatch::hindrance(const GroupPlan& plan, const Op&) const {
  if (!plan.is_even()) return "needs the same number of GPUs of each server";
  return std::nullopt;
}

SimTime ExpertDispatch::start_delay(const GroupPlan& plan, const Op&, Protocol) const {
  return plan.servers() > 1 ? plan.nccl->deepep_start : plan.nccl->deepep_nvlink_start;
}

std::uint32_t ExpertDispatch::sms(const GroupPlan& plan) const {
  return plan.nccl->deepep_sms;
}

std::vector<const char*> ExpertDispatch::borrowed(const GroupPlan& plan, const NcclDevice* own) const {
  const NcclSettings& nccl = *plan.nccl;
  const bool is_limited = nccl.deepep_sm_share(plan.local_rate) < nccl.deepep_nvlink_efficiency;
  if (!is_limited || !plan.has_nvlink || plan.size() == plan.servers()) return {};
  if (own && own->deepep_sm_rate.value > 0) return {};
  return {"deepep-sm-rate"};
}

CollectivePlan ExpertDispatch::plan(const CollectiveInput& in) const {
  const ExchangePlaces places(in);
  const std::uint32_t n = places.size(), me = places.me(), mine = places.server(), m = places.members();
  const NcclSettings& nccl = *in.plan.nccl;
  ExpertRoutes routes = nccl.expert_routes();
  if (in.op.peer > 0) {
    const ExpertCounts of_model = ExpertCounts::of(in.op.peer);
    routes.experts = static_cast<std::uint32_t>(of_model.experts);
    routes.groups = of_model.servers > 0 ? static_cast<std::uint32_t>(of_model.servers) : places.servers();
  }
  auto message = [&](std::uint32_t index, std::int64_t payload) {
    return ExchangePlan::Message{places.member(index), payload,
                                 nccl.deepep_wire_bytes(places.medium(index), in.plan.local_rate, payload),
                                 SimTime{0}};
  };
  // Tokens of `from` of which any expert is among `bytes` of its copies.
  auto unique = [&](std::int64_t bytes) {
    const double share = in.op.bytes == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(in.op.bytes);
    return std::llround(static_cast<double>(in.op.bytes) / routes.experts *
                        routes.reach(share, places.servers()));
  };
  auto to_gpu = [&](std::uint32_t from, std::uint32_t to) { return unique(in.share(from, to)); };
  auto to_server = [&](std::uint32_t from, std::uint32_t server) {
    std::int64_t bytes = 0;
    for (std::uint32_t i = 0; i < m; ++i) bytes += in.share(from, places.at(server, i));
    return unique(bytes);
  };
  struct Peer {  // and what goes there and comes from there over all slices
    std::uint32_t to = 0, from = 0;
    std::int64_t out = 0, in = 0;
  };
  std::vector<Peer> on_rail, in_server;
  for (std::uint32_t i = 1; i < places.servers(); ++i) {
    const std::uint32_t t = (mine + i) % places.servers(),
                        s = (mine + places.servers() - i) % places.servers();
    const std::uint32_t to = places.at(t, places.place()), from = places.at(s, places.place());
    on_rail.push_back({to, from, to_server(me, t), to_server(from, mine)});
  }
  // From every server's GPU of a place, the own one too, to the GPUs of this server.
  for (std::uint32_t i = 0; i < m; ++i) {
    const std::uint32_t to = (places.place() + i) % m, from = (places.place() + m - i) % m;
    Peer& peer = in_server.emplace_back(Peer{places.at(mine, to), places.at(mine, from)});
    for (std::uint32_t s = 0; s < places.servers(); ++s) {
      peer.out += to_gpu(places.at(s, places.place()), peer.to);
      peer.in += to_gpu(places.at(s, from), me);
    }
  }
  // What comes over a rail is passed on in slices. In one server nothing is: one slice.
  const std::int64_t slices = places.servers() == 1 ? 1
                                                    : exchange_slices(in.op.bytes / n * m / routes.experts,
                                                                      nccl.point_chunk_net.value);
  auto round_of = [&](const std::vector<Peer>& peers, std::uint32_t lane, std::int64_t slice) {
    ExchangePlan::Round round;
    round.lane = lane;
    for (const Peer& peer : peers) {
      add_message(round.sends, message(peer.to, slice_of(peer.out, slices, slice)));
      add_message(round.receives, message(peer.from, slice_of(peer.in, slices, slice)));
    }
    return round;
  };
  ExchangePlan all;
  all.is_by_gpu = true;
  for (std::int64_t k = 0; k < slices; ++k) {
    all.rounds.push_back(round_of(on_rail, 1, k));
    const auto over_rail = static_cast<std::uint32_t>(all.rounds.size()) - 1;
    all.rounds.push_back(round_of(in_server, 2, k));
    all.rounds.back().after = over_rail;
  }
  return all;
}

}  // namespace lightrail

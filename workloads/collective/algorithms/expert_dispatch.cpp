#include "workloads/collective/algorithms/expert_dispatch.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "workloads/collective/exchange_places.hpp"
#include "workloads/collective/expert_routes.hpp"
#include "workloads/program/expert_counts.hpp"

namespace lightrail {

std::optional<std::string> ExpertDispatch::hindrance(const GroupPlan& plan, const Op&) const {
  if (!plan.is_even()) return "needs the same number of GPUs of each server";
  return std::nullopt;
}

SimTime ExpertDispatch::start_delay(const GroupPlan& plan, const Op&, Protocol) const {
  return plan.nccl->deepep_start;
}

std::uint32_t ExpertDispatch::sms(const GroupPlan& plan) const {
  return plan.nccl->deepep_sms;
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
  ExchangePlan all;
  all.is_by_gpu = true;
  // What comes over a rail is passed on in slices. In one server nothing is: one slice.
  const std::int64_t slices = places.servers() == 1 ? 1
                                                    : exchange_slices(in.op.bytes / n * m / routes.experts,
                                                                      nccl.point_chunk_net.value);
  for (std::int64_t k = 0; k < slices; ++k) {
    ExchangePlan::Round over_rail, forward;
    over_rail.lane = 1;
    forward.lane = 2;
    forward.after = static_cast<std::uint32_t>(all.rounds.size());
    for (std::uint32_t i = 1; i < places.servers(); ++i) {
      const std::uint32_t t = (mine + i) % places.servers(),
                          s = (mine + places.servers() - i) % places.servers();
      add_message(over_rail.sends,
                  message(places.at(t, places.place()), slice_of(to_server(me, t), slices, k)));
      const std::uint32_t source = places.at(s, places.place());
      add_message(over_rail.receives, message(source, slice_of(to_server(source, mine), slices, k)));
    }
    // From every server's GPU of a place, the own one too, to the GPUs of this server.
    for (std::uint32_t i = 0; i < m; ++i) {
      const std::uint32_t to = (places.place() + i) % m, from = (places.place() + m - i) % m;
      std::int64_t out = 0, in_bytes = 0;
      for (std::uint32_t s = 0; s < places.servers(); ++s) {
        out += to_gpu(places.at(s, places.place()), places.at(mine, to));
        in_bytes += to_gpu(places.at(s, from), places.at(mine, places.place()));
      }
      add_message(forward.sends, message(places.at(mine, to), slice_of(out, slices, k)));
      add_message(forward.receives, message(places.at(mine, from), slice_of(in_bytes, slices, k)));
    }
    all.rounds.push_back(std::move(over_rail));
    all.rounds.push_back(std::move(forward));
  }
  return all;
}

}  // namespace lightrail

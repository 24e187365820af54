#include "workloads/collective/exchange.hpp"

#include <algorithm>
#include <cmath>

#include "workloads/collective/expert_routes.hpp"
#include "workloads/collective/ring.hpp"
#include "workloads/program/expert_counts.hpp"

namespace lightrail {
namespace {

using Message = ExchangePlan::Message;
using Round = ExchangePlan::Round;

/// Slices of one message at most: bounds the number of messages of a member.
constexpr std::int64_t max_slices = 16;

/// What the plans share: who sits where, what a message takes.
class Places {
 public:
  explicit Places(const ExchangeInput& in)
      : in_(in), plan_(in.plan), index_of_(in.group.size), me_(in.group.my_index) {
    for (std::uint32_t i = 0; i < in.group.size; ++i) index_of_[plan_.index_of(in.group.member(i))] = i;
    const std::uint32_t mine = plan_.index_of(member(me_));
    server_ = plan_.server_of(mine);
    place_ = mine - plan_.server_first[server_];
  }

  std::uint32_t size() const { return in_.group.size; }
  std::uint32_t me() const { return me_; }
  std::uint32_t server() const { return server_; }
  std::uint32_t place() const { return place_; }
  std::uint32_t servers() const { return plan_.servers(); }
  std::uint32_t members() const { return plan_.members_of(server_); }
  EndpointId member(std::uint32_t index) const { return in_.group.member(index); }
  /// Index in the group of the member at `place` of `server`.
  std::uint32_t at(std::uint32_t server, std::uint32_t place) const {
    return index_of_[plan_.server_first[server] + place];
  }
  Medium medium(std::uint32_t index) const {
    if (index == me_) return Medium::local;
    if (plan_.server_of(plan_.index_of(member(index))) != server_) return Medium::net;
    return plan_.has_nvlink ? Medium::nvlink : Medium::pci;
  }
  /// A message of a send or an all-to-all.
  Message message(std::uint32_t index, std::int64_t payload) const {
    const Medium via = medium(index);
    return {member(index), payload, plan_.nccl->point_wire_bytes(in_.protocol, via, payload),
            via == Medium::local ? SimTime{0} : plan_.nccl->point_software(in_.protocol, via)};
  }

 private:
  const ExchangeInput& in_;
  const GroupPlan& plan_;
  std::vector<std::uint32_t> index_of_;  ///< by place in plan.members
  std::uint32_t me_, server_ = 0, place_ = 0;
};

void add(std::vector<Message>& to, const Message& message) {
  if (message.payload > 0) to.push_back(message);
}

std::int64_t slices_of(std::int64_t bytes, std::int64_t slice) {
  return std::clamp<std::int64_t>((bytes + slice - 1) / slice, 1, max_slices);
}

/// Slice `slice` of `slices` of `bytes`, cut at bytes.
std::int64_t cut(std::int64_t bytes, std::int64_t slices, std::int64_t slice) {
  return part_bytes(bytes, 1, static_cast<std::uint32_t>(slices), static_cast<std::uint32_t>(slice));
}

}  // namespace

ExchangePlan full_mesh(const ExchangeInput& in) {
  const Places places(in);
  const Op& op = in.op;
  const std::uint32_t n = places.size(), me = places.me();
  auto bytes = [&](std::uint32_t from, std::uint32_t to) -> std::int64_t {
    switch (op.collective) {
      case CollectiveType::all_gather:
        return part_bytes(op.bytes, op.element_bytes, n, from);
      case CollectiveType::reduce_scatter:
        return part_bytes(op.bytes, op.element_bytes, n, to);
      case CollectiveType::broadcast:
        return from == op.root ? op.bytes : 0;
      case CollectiveType::all_to_all:
        return in.share(from, to);
      default:
        return op.bytes;
    }
  };
  Round round;
  for (std::uint32_t d = op.collective == CollectiveType::all_to_all ? 0 : 1; d < n; ++d) {
    add(round.sends, places.message((me + d) % n, bytes(me, (me + d) % n)));
    add(round.receives, places.message((me + n - d) % n, bytes((me + n - d) % n, me)));
  }
  return {{std::move(round)}, false};
}

ExchangePlan pairwise(const ExchangeInput& in) {
  const Places places(in);
  const std::uint32_t n = places.size(), me = places.me();
  ExchangePlan all;
  for (std::uint32_t d = 0; d < n; ++d) {
    Round round;
    const std::uint32_t to = (me + d) % n, from = (me + n - d) % n;
    add(round.sends, places.message(to, in.share(me, to)));
    add(round.receives, places.message(from, in.share(from, me)));
    // The own share moves beside the others.
    if (d > 1) round.after = d - 1;
    all.rounds.push_back(std::move(round));
  }
  return all;
}

ExchangePlan hierarchical(const ExchangeInput& in) {
  const Places places(in);
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
  const std::int64_t slices = slices_of(in.op.bytes / n * m, in.plan.nccl->point_chunk_net.value);
  ExchangePlan all;
  Round own;  // within the server nothing is handed on
  for (std::uint32_t i = 0; i < m; ++i) {
    const std::uint32_t peer = places.at(mine, (places.place() + i) % m);
    add(own.sends, places.message(peer, in.share(me, peer)));
    add(own.receives, places.message(peer, in.share(peer, me)));
  }
  for (std::int64_t k = 0; k < slices; ++k) {
    Round gather, send;
    gather.lane = 1;
    send.lane = 2;
    send.after = static_cast<std::uint32_t>(all.rounds.size());
    for (std::uint32_t i = 1; i < m; ++i) {
      const std::uint32_t to = (places.place() + i) % m, from = (places.place() + m - i) % m;
      add(gather.sends, places.message(places.at(mine, to), cut(near(places.place(), to), slices, k)));
      add(gather.receives, places.message(places.at(mine, from), cut(near(from, places.place()), slices, k)));
    }
    for (std::uint32_t i = 1; i < places.servers(); ++i) {
      const std::uint32_t t = (mine + i) % places.servers(),
                          s = (mine + places.servers() - i) % places.servers();
      add(send.sends,
          places.message(places.at(t, places.place()), cut(far(mine, t, places.place()), slices, k)));
      add(send.receives,
          places.message(places.at(s, places.place()), cut(far(s, mine, places.place()), slices, k)));
    }
    all.rounds.push_back(std::move(gather));
    all.rounds.push_back(std::move(send));
  }
  all.rounds.push_back(std::move(own));
  return all;
}

ExchangePlan aggregated_trees(const ExchangeInput& in) {
  const Places places(in);
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
    return Message{places.member(index), payload, nccl.wire_bytes(in.protocol, via, payload),
                   nccl.pat_software(via)};
  };
  ExchangePlan all;
  std::uint32_t far = 1;
  while (far * 2 < n) far *= 2;
  for (std::uint32_t d = is_gather ? far : 1; d >= 1 && d < n; d = is_gather ? d / 2 : d * 2) {
    Round round;
    const std::uint32_t up = (me + d) % n, down = (me + n - d) % n;
    // A gather hands the own blocks down; a reduction hands the sums of those above up.
    add(round.sends, message(is_gather ? down : up, blocks(is_gather ? me : up, d)));
    add(round.receives, message(is_gather ? up : down, blocks(is_gather ? up : me, d)));
    if (!all.rounds.empty()) round.after = static_cast<std::uint32_t>(all.rounds.size()) - 1;
    all.rounds.push_back(std::move(round));
  }
  return all;
}

ExchangePlan deepep(const ExchangeInput& in, bool is_low_latency) {
  const Places places(in);
  const std::uint32_t n = places.size(), me = places.me(), mine = places.server(), m = places.members();
  const NcclSettings& nccl = *in.plan.nccl;
  ExpertRoutes routes = nccl.expert_routes();
  if (in.op.peer > 0) {
    const ExpertCounts of_model = ExpertCounts::of(in.op.peer);
    routes.experts = static_cast<std::uint32_t>(of_model.experts);
    routes.groups = of_model.servers > 0 ? static_cast<std::uint32_t>(of_model.servers) : places.servers();
  }
  auto message = [&](std::uint32_t index, std::int64_t payload) {
    return Message{places.member(index), payload, nccl.deepep_wire_bytes(places.medium(index), payload),
                   SimTime{0}};
  };
  ExchangePlan all;
  all.is_by_gpu = true;
  if (is_low_latency) {
    Round round;
    for (std::uint32_t d = 0; d < n; ++d) {
      const std::uint32_t to = (me + d) % n, from = (me + n - d) % n;
      add(round.sends, message(to, in.share(me, to)));
      add(round.receives, message(from, in.share(from, me)));
    }
    all.rounds.push_back(std::move(round));
    return all;
  }
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
  const std::int64_t slices = slices_of(in.op.bytes / n * m / routes.experts, nccl.point_chunk_net.value);
  for (std::int64_t k = 0; k < slices; ++k) {
    Round over_rail, forward;
    over_rail.lane = 1;
    forward.lane = 2;
    forward.after = static_cast<std::uint32_t>(all.rounds.size());
    for (std::uint32_t i = 1; i < places.servers(); ++i) {
      const std::uint32_t t = (mine + i) % places.servers(),
                          s = (mine + places.servers() - i) % places.servers();
      add(over_rail.sends, message(places.at(t, places.place()), cut(to_server(me, t), slices, k)));
      const std::uint32_t source = places.at(s, places.place());
      add(over_rail.receives, message(source, cut(to_server(source, mine), slices, k)));
    }
    // From every server's GPU of a place, the own one too, to the GPUs of this server.
    for (std::uint32_t i = 0; i < m; ++i) {
      const std::uint32_t to = (places.place() + i) % m, from = (places.place() + m - i) % m;
      std::int64_t out = 0, in_bytes = 0;
      for (std::uint32_t s = 0; s < places.servers(); ++s) {
        out += to_gpu(places.at(s, places.place()), places.at(mine, to));
        in_bytes += to_gpu(places.at(s, from), places.at(mine, places.place()));
      }
      add(forward.sends, message(places.at(mine, to), cut(out, slices, k)));
      add(forward.receives, message(places.at(mine, from), cut(in_bytes, slices, k)));
    }
    all.rounds.push_back(std::move(over_rail));
    all.rounds.push_back(std::move(forward));
  }
  return all;
}

}  // namespace lightrail

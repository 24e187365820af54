#include "workloads/collective/pair_lines.hpp"

#include <algorithm>
#include <cstddef>

namespace lightrail {

SimTime posting_time(const GroupPlan& plan, std::int64_t posts, bool is_by_rail, std::int64_t members) {
  const NcclSettings& nccl = *plan.nccl;
  if (!nccl.pxn || !plan.has_nvlink || is_by_rail || members == 1) return posts * nccl.net_overhead;
  const std::int64_t batches = (members + nccl.aggregate - 1) / nccl.aggregate;
  return posts / members * (batches * nccl.net_overhead + (members - batches) * nccl.net_progress);
}

PairLines::PairLines(const GroupPlan& plan, const GroupView& group, Protocol protocol, const SendRoom& room,
                     std::span<const SimTime> arrived, bool has_clears)
    : plan_(plan),
      protocol_(protocol),
      room_(room),
      has_clears_(has_clears),
      arrived_(arrived),
      member_(plan.size()) {
  const Lines idle{SharedLine(plan.local_rate), SharedLine(plan.local_rate), SharedLine(plan.net_rate),
                   SharedLine(plan.net_rate)};
  lines_.assign(group.size, idle);
  pairs_.reserve(std::size_t{group.size} * group.size);
  for (std::uint32_t m = 0; m < group.size; ++m) {
    const std::uint32_t at = plan.index_of(group.member(m)), server = plan.server_of(at);
    place_.push_back({server, at - plan.server_first[server]});
    member_[at] = m;
  }
}

/// By PXN the member that is on the receiver's rail; where the server has none, the sender's own.
std::uint32_t PairLines::proxy(std::uint32_t from, std::uint32_t to) const {
  const std::uint32_t server = place_[from].server, rail = place_[to].in_server;
  if (!uses_pxn() || rail >= plan_.members_of(server)) return from;
  return member_[plan_.server_first[server] + rail];
}

void PairLines::add(std::uint32_t from, std::uint32_t to, std::int64_t payload) {
  if (payload == 0) return;
  const bool is_far = place_[from].server != place_[to].server;
  const Medium medium = is_far ? Medium::net : plan_.has_nvlink ? Medium::nvlink : Medium::pci;
  const NcclSettings& nccl = *plan_.nccl;
  const std::int64_t wire = nccl.point_wire_bytes(protocol_, medium, payload);
  const bool is_cleared = has_clears_ && payload > nccl.eager_limit(medium);
  const SimTime at = is_cleared ? std::max(arrived_[from], arrived_[to]) : arrived_[from];
  Lines &sender = lines_[from], &receiver = lines_[to];
  const std::uint32_t by = is_far ? proxy(from, to) : from;
  Pair pair{from, to, nullptr, 0, nullptr, 0, nullptr, 0};
  const auto enter = [&](SharedLine& line, bool is_waited_for) {
    const std::uint32_t in = line.add(at, wire);
    if (is_waited_for) pair.last = &line, pair.in_last = in;
  };
  if (is_far) {
    ++sender.posts;
    sender.posts_by_rail &= place_[from].in_server == place_[to].in_server;
    pair.far = &lines_[by].far_out;
    pair.in_far = lines_[by].far_out.add(at, wire);
    enter(receiver.far_in, by == from && wire > room_.far);
  }
  if (!is_far || by != from) {
    pair.near = &sender.near_out;
    pair.in_near = sender.near_out.add(at, wire);
    enter(lines_[is_far ? by : to].near_in, wire > room_.near);
  }
  pairs_.push_back(pair);
}

std::vector<SimTime> PairLines::ends() {
  std::vector<SimTime> ends(arrived_.begin(), arrived_.end());
  for (std::size_t m = 0; m < lines_.size(); ++m) {
    Lines& of = lines_[m];
    for (SharedLine* line : {&of.near_out, &of.far_out, &of.near_in, &of.far_in}) line->run();
    const std::int64_t members = plan_.members_of(place_[m].server);
    ends[m] = std::max({ends[m] + posting_time(plan_, of.posts, of.posts_by_rail, members),
                        of.near_in.last_end(), of.far_in.last_end()});
  }
  for (const Pair& pair : pairs_) {
    const SimTime near = pair.near ? pair.near->end(pair.in_near) : SimTime{0};
    const SimTime far = pair.far ? pair.far->end(pair.in_far) : SimTime{0};
    const SimTime last = pair.last ? pair.last->end(pair.in_last) : SimTime{0};
    ends[pair.from] = std::max({ends[pair.from], pair.near ? near : far, last});
    ends[pair.to] = std::max({ends[pair.to], near, far});
  }
  return ends;
}

}  // namespace lightrail

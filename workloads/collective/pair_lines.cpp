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

PairLines::PairLines(const AddressBook& book, const GroupPlan& plan, const GroupView& group,
                     const Terms& terms, std::span<const SimTime> arrived)
    : book_(book), plan_(plan), terms_(terms), arrived_(arrived) {
  pairs_.reserve(std::size_t{group.size} * group.size);
  for (std::uint32_t m = 0; m < group.size; ++m) {
    const EndpointId gpu = group.member(m);
    members_.push_back({gpu, book[gpu].server, book[gpu].nic, 0, true});
  }
  near_.assign(group.size, {SharedLine(plan.local_rate), SharedLine(plan.local_rate)});
}

std::uint32_t PairLines::nic_line(std::uint32_t server, std::uint32_t rail) {
  const auto [place, is_new] = nic_lines_.emplace(std::pair(server, rail), far_.size());
  if (is_new) far_.push_back({SharedLine(plan_.net_rate), SharedLine(plan_.net_rate)});
  return place->second;
}

std::uint32_t PairLines::proxy_line(const Member& member, std::uint32_t rail) {
  const auto [place, is_new] = proxy_lines_.emplace(std::pair(member.server, rail), none);
  if (!is_new) return place->second;
  const auto [first, end] = book_.gpus_of_server(member.gpu);
  for (std::uint32_t gpu = first; gpu < end && place->second == none; ++gpu) {
    if (book_[EndpointId{gpu}].nic != rail || !book_[EndpointId{gpu}].lid.is_valid()) continue;
    const auto owner = std::find_if(members_.begin(), members_.end(),
                                    [gpu = gpu](const Member& each) { return each.gpu.value == gpu; });
    place->second =
        static_cast<std::uint32_t>(owner == members_.end() ? near_.size() : owner - members_.begin());
    if (owner == members_.end())
      near_.push_back({SharedLine(plan_.local_rate), SharedLine(plan_.local_rate)});
  }
  return place->second;
}

void PairLines::add(std::uint32_t from, std::uint32_t to, std::int64_t payload) {
  if (payload == 0) return;
  Member& sender = members_[from];
  const Member& receiver = members_[to];
  const bool is_far = sender.server != receiver.server;
  const Medium medium = is_far ? Medium::net : plan_.has_nvlink ? Medium::nvlink : Medium::pci;
  const NcclSettings& nccl = *plan_.nccl;
  const std::int64_t wire = nccl.point_wire_bytes(terms_.protocol, medium, payload);
  const bool is_cleared = terms_.has_clears && payload > nccl.eager_limit(medium);
  const SimTime at = is_cleared ? std::max(arrived_[from], arrived_[to]) : arrived_[from];
  Pair pair;
  pair.from = from, pair.to = to;
  std::uint32_t near_to = is_far ? none : to;
  if (is_far) {
    ++sender.posts;
    sender.posts_by_rail &= sender.rail == receiver.rail;
    if (nccl.pxn && plan_.has_nvlink && sender.rail != receiver.rail)
      near_to = proxy_line(sender, receiver.rail);
    const std::uint32_t out = nic_line(sender.server, near_to == none ? sender.rail : receiver.rail),
                        in = nic_line(receiver.server, receiver.rail);
    pair.far_out = {out, far_[out].out.add(at, wire)};
    pair.far_in = {in, far_[in].in.add(at, wire)};
    pair.waits_for_far = near_to == none && wire > terms_.room.far;
  }
  if (near_to != none) {
    pair.near_out = {from, near_[from].out.add(at, wire)};
    pair.near_in = {near_to, near_[near_to].in.add(at, wire)};
    pair.waits_for_near = wire > terms_.room.near;
  }
  pairs_.push_back(pair);
}

std::vector<SimTime> PairLines::ends() {
  for (auto* lines : {&near_, &far_})
    for (Line& line : *lines) line.out.run(), line.in.run();
  std::vector<SimTime> ends(arrived_.begin(), arrived_.end());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Member& of = members_[m];
    const std::int64_t members = plan_.members_of(plan_.server_of(plan_.index_of(of.gpu)));
    ends[m] += posting_time(plan_, of.posts, of.posts_by_rail, members);
  }
  for (const Pair& pair : pairs_) {
    const SimTime near_out = end_of(pair.near_out, &Line::out, near_),
                  near_in = end_of(pair.near_in, &Line::in, near_),
                  far_out = end_of(pair.far_out, &Line::out, far_),
                  far_in = end_of(pair.far_in, &Line::in, far_);
    SimTime left = pair.near_out.line == none ? far_out : near_out;
    if (pair.waits_for_near) left = std::max(left, near_in);
    if (pair.waits_for_far) left = std::max(left, far_in);
    ends[pair.from] = std::max(ends[pair.from], left);
    ends[pair.to] = std::max({ends[pair.to], near_out, near_in, far_out, far_in});
  }
  return ends;
}

}  // namespace lightrail

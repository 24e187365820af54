#include "workloads/collective/nvlink_use.hpp"

#include <algorithm>
#include <cstdint>

#include "workloads/collective/cost_model.hpp"
#include "workloads/program/peer.hpp"

namespace lightrail {

NvlinkUse::NvlinkUse(const Model& model)
    : groups_(*model.resource<GroupTable>()),
      plans_(*model.resource<GroupPlans>()),
      book_(*model.resource<AddressBook>()),
      algorithms_(*model.resource<AlgorithmRegistry>()),
      nccl_(*model.resource<NcclSettings>()) {}

bool NvlinkUse::goes_by_others(EndpointId gpu, EndpointId to) const {
  const bool has_one_nic = book_[gpu].lid.is_valid() && !book_.has_nic_addresses();
  return !has_one_nic || (nccl_.pxn && book_[gpu].nic != book_[to].nic);
}

bool NvlinkUse::crosses_rails(const GroupPlan& group, GroupKindId kind) {
  const auto [known, is_new] = crosses_.emplace(std::pair(kind.value, group.members.front().value), false);
  if (is_new)
    known->second = std::any_of(group.members.begin(), group.members.end(), [&](EndpointId member) {
      return goes_by_others(group.members.front(), member) || goes_by_others(member, group.members.front());
    });
  return known->second;
}

void NvlinkUse::add_server(EndpointId gpu, Reach& reach) const {
  const auto [first, end] = book_.gpus_of_server(gpu);
  for (std::uint32_t other = first; other < end; ++other) reach.others.emplace_back(other);
}

NvlinkUse::Reach NvlinkUse::of(const Op& op, EndpointId gpu) {
  Reach reach;
  const GroupView view = groups_.group_of(op.group, gpu);
  if (view.size < 2) return reach;
  if (op.kind != OpKind::collective) {
    const EndpointId peer = peer_of(op, view);
    const bool is_near = book_[peer].server == book_[gpu].server;
    reach.uses = is_near || goes_by_others(gpu, peer);
    if (is_near)
      reach.others.push_back(peer);
    else if (reach.uses)
      add_server(gpu, reach);
    return reach;
  }
  const GroupPlan& group = plans_.of(op.group, gpu);
  const std::uint32_t server = group.server_of(group.index_of(gpu));
  if (group.servers() > 1 && crosses_rails(group, op.group))
    add_server(gpu, reach);
  else
    reach.others.assign(group.members.begin() + group.server_first[server],
                        group.members.begin() + group.server_first[server + 1]);
  reach.uses = reach.others.size() > 1 || op.collective == CollectiveType::all_to_all;
  return reach;
}

SimTime NvlinkUse::start_of(const Op& op, const GroupPlan& group) const {
  if (op.kind == OpKind::collective) {
    const Choice choice = choose(algorithms_, nccl_, group, op);
    return algorithms_[choice.algorithm].start_delay(group, op, choice.protocol);
  }
  if (op.protocol != Protocol::bare) return group.nccl->point_base(group.nccl->point_protocol(op.bytes));
  return op.kind == OpKind::send ? op.duration : time_never;
}

}  // namespace lightrail

#include "workloads/generate/training/training_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "workloads/generate/training/placement_groups.hpp"

namespace lightrail {

namespace {

/// Of the members of a regular group, how far behind the first one they are.
std::vector<std::uint32_t> distances(const std::vector<GroupKind::Digit>& digits) {
  std::vector<std::uint32_t> all{0};
  for (const GroupKind::Digit& digit : digits) {
    const std::size_t inner = all.size();
    for (std::uint32_t i = 1; i < digit.count; ++i)
      for (std::size_t d = 0; d < inner; ++d) all.push_back(all[d] + i * digit.stride);
  }
  return all;
}

class GroupMaker {
 public:
  GroupMaker(const TrainingPlan& plan, WorkloadContext& context) : plan_(plan), context_(context) {}

  GroupKindId add(const char* name, std::uint32_t count, std::uint32_t stride, bool holds_copies = false) {
    return add(GroupKind{name, {{count, stride}}, {}, 1, holds_copies});
  }

  /// Who holds the same parameters: of a stage, and with two directions of its mirror stage too.
  GroupKindId copies(const char* name, const std::vector<GroupKind::Digit>& digits) {
    GroupKind kind{name, {}, {}, plan_.fold, true};
    if (plan_.copies() == 1) {
      kind.digits = digits;
      return add(std::move(kind));
    }
    if (is_taken(name)) return {};
    const std::uint32_t stage_gpus = plan_.stage_gpus();
    const std::vector<std::uint32_t> behind = distances(digits);
    for (std::uint32_t stage = 0; stage < plan_.pp / 2; ++stage)
      for (std::uint32_t first = 0; first < stage_gpus; ++first) {
        const bool is_first = std::all_of(digits.begin(), digits.end(), [&](const GroupKind::Digit& digit) {
          return first / digit.stride % digit.count == 0;
        });
        if (!is_first) continue;
        auto& members = kind.listed.emplace_back();
        for (std::uint32_t holder : {stage, plan_.pp - 1 - stage})
          for (std::uint32_t distance : behind) members.emplace_back(holder * stage_gpus + first + distance);
      }
    return context_.job.group(std::move(kind));
  }

 private:
  /// Regular.
  GroupKindId add(GroupKind kind) {
    std::erase_if(kind.digits, [](const GroupKind::Digit& digit) { return digit.count < 2; });
    if (is_taken(kind.name) || kind.digits.empty()) return {};
    return context_.job.group(std::move(kind));
  }
  bool is_taken(const std::string& name) {
    if (!context_.job.find_group(name).is_valid()) return false;
    context_.errors.add(context_.element.error(
        fmt::format("<groups> declares '{}', which a training workload makes itself", name)));
    return true;
  }

  const TrainingPlan& plan_;
  WorkloadContext& context_;
};

/// Servers of the first group of a kind.
std::size_t servers_of(const GroupKind& kind, const std::vector<std::uint32_t>& server_of_gpu) {
  std::vector<std::uint32_t> members;
  if (kind.listed.empty())
    members = distances(kind.digits);
  else
    for (const EndpointId member : kind.listed.front()) members.push_back(member.value);
  std::set<std::uint32_t> servers;
  for (const std::uint32_t gpu : members)
    if (gpu < server_of_gpu.size()) servers.insert(server_of_gpu[gpu]);
  return servers.size();
}

/// Replicas that stand for others lie as those do: over servers.
void check_folded(const TrainingPlan& plan, WorkloadContext& context) {
  if (plan.fold == 1) return;
  for (const GroupKind& kind : context.job.job().groups)
    if (kind.stands_for > 1 && servers_of(kind, context.servers) < 2)
      context.errors.add(context.element.error(
          fmt::format("<workload> kind 'training': fold = {} with groups '{}' of {} on one server (expected "
                      "replicas on two servers and more, as those are that they stand for)",
                      plan.fold, kind.name, kind.size())));
}

}  // namespace

TrainingGroups make_training_groups(const Transformer& model, const TrainingPlan& plan,
                                    WorkloadContext& context) {
  TrainingGroups groups;
  GroupMaker maker(plan, context);
  groups.tp = maker.add("tp", plan.tp, 1);
  const std::uint32_t data = plan.simulated_data_gpus();
  if (plan.cp > 1) groups.cp = maker.add("cp", plan.cp, plan.tp);
  groups.dp = maker.copies("dp", {{data, plan.tp}});
  if (plan.shards_parameters) {
    const auto shard = static_cast<std::uint32_t>(plan.shard_gpus());
    groups.shard = shard == data ? groups.dp : maker.add("shard", shard, plan.tp, true);
    if (shard < data) groups.replica = maker.add("replica", data / shard, plan.tp * shard, true);
  }
  if (model.is_moe()) {
    const auto etp = static_cast<std::uint32_t>(plan.expert_tp());
    const auto expert_dp = static_cast<std::uint32_t>(plan.expert_dp()) / plan.copies() / plan.fold;
    groups.etp = etp == plan.tp ? groups.tp : maker.add("etp", etp, 1);
    if (plan.repeats_experts()) {
      groups.ep = maker.add("ep", plan.ep, plan.tp);
      groups.expert_dp =
          maker.copies("expert-dp", {{plan.tp / etp, etp}, {data / plan.ep, plan.tp * plan.ep}});
    } else {
      groups.ep = maker.add("ep", plan.ep, etp);
      groups.expert_dp = maker.copies("expert-dp", {{expert_dp, etp * plan.ep}});
    }
    if (const auto shard = static_cast<std::uint32_t>(plan.expert_shard_gpus()); plan.shards_parameters)
      groups.expert_shard =
          shard == expert_dp ? groups.expert_dp : maker.add("expert-shard", shard, etp * plan.ep);
  }
  groups.pp = maker.add("pp", plan.pp, plan.tp * data);
  if (plan.copies_embedding(model)) {
    GroupKind kind;
    kind.name = "embedding";
    const std::uint32_t stage_gpus = plan.stage_gpus();
    for (std::uint32_t g = 0; g < stage_gpus; ++g)
      kind.listed.push_back({EndpointId{g}, EndpointId{g + (plan.pp - 1) * stage_gpus}});
    groups.embedding = context.job.group(std::move(kind));
  }
  groups.peers = make_placement_groups(plan, context);
  check_folded(plan, context);
  return groups;
}

std::uint32_t servers_of_experts(const TrainingGroups& groups, const WorkloadContext& context) {
  if (!groups.ep.is_valid()) return 1;
  const GroupKind& ep = context.job.job().groups[groups.ep.value];
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(servers_of(ep, context.servers)));
}

}  // namespace lightrail

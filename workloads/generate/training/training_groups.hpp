#pragma once
#include <cstdint>

#include "workloads/generate/training/training_plan.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

/// The groups of a training job; invalid where the group would have one member.
struct TrainingGroups {
  GroupKindId tp{}, cp{}, ep{}, etp{}, dp{}, expert_dp{}, pp{}, embedding{};
  GroupKindId shard{}, expert_shard{}, replica{};  ///< FSDP: who shares parameters, who has the same part
  GroupKindId peers{};  ///< who keeps each other's checkpoint: GPUs of different servers, at the same place
};

/// Adds them to the job; an error where the scenario declares one of their names.
[[nodiscard]] TrainingGroups make_training_groups(const Transformer& model, const TrainingPlan& plan,
                                                  WorkloadContext& context);

/// Servers that the first group of experts lies on; 1 where that is not known.
[[nodiscard]] std::uint32_t servers_of_experts(const TrainingGroups& groups, const WorkloadContext& context);

}  // namespace lightrail

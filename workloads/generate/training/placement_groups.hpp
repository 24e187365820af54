#pragma once
#include "workloads/generate/training/training_plan.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

/// Groups "peers" of a job that saves to peers' memory: servers one after the other, `copies` a group, of
/// which the GPUs at the same place form one. Invalid where it does not save so. Errors: servers whose number
/// or GPUs do not make such groups, and groups of GPUs that keep different states.
[[nodiscard]] GroupKindId make_placement_groups(const TrainingPlan& plan, WorkloadContext& context);

}  // namespace lightrail

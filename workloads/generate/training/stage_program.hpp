#pragma once
#include <cstdint>

#include "workloads/generate/training/gate_history.hpp"
#include "workloads/generate/training/training_groups.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

/// All micro-batches of one stage in the order of its schedule, the gradients and the optimiser. `history`:
/// of the steps before; this one is added.
[[nodiscard]] Program write_stage(const Transformer& model, const TrainingPlan& plan,
                                  const TrainingGroups& groups, std::uint32_t stage, JobBuilder& job,
                                  GateHistory& history);

}  // namespace lightrail

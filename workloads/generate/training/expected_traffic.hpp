#pragma once
#include <cstdint>
#include <vector>

#include "workloads/generate/training/training_plan.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

/// Payload that all GPUs together send by dimension [B], over all iterations, from the operations alone: for
/// a group of n and nccl-tests' size S, all-gather, reduce-scatter, broadcast (ring) and all-to-all (direct;
/// equal shares, n divides S) send (n - 1) S, a ring all-reduce 2 (n - 1) S, a message its size, a barrier
/// nothing. What a simulation with ring and direct algorithms counts must equal it.
[[nodiscard]] std::vector<std::int64_t> expected_traffic(const Job& job);

/// Payload that all GPUs together send in one training step, by dimension [B].
struct TrainingTraffic {
  std::int64_t tp = 0, dp = 0, ep = 0, pp = 0, cp = 0;
};
/// The same of one training step from the plan alone, without looking at operations: README.md has the
/// formulas.
[[nodiscard]] TrainingTraffic training_traffic(const Transformer& model, const TrainingPlan& plan);

}  // namespace lightrail

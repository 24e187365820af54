#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "engine/model/replica_sample.hpp"

namespace lightrail {

/// The step of all replicas, estimated from those that were simulated: whoever is slower than the slowest of
/// these would hold up all others.
struct WholeClusterEstimate {
  std::int64_t step_ps = 0;              ///< expected
  std::int64_t low_ps = 0, high_ps = 0;  ///< 5 and 95 of 100 whole clusters are shorter
  double deviation = 0;   ///< relative standard deviation of the compute time of GPUs with the same work
  std::int64_t gpus = 0;  ///< of the whole
  std::int64_t simulated = 0;
};

/// `step_ps` is the simulated step, `compute_ps` the time that each GPU computed in it, by GPU. A GPU's time,
/// over the mean of those with the same work, is taken to be normal, with the deviation that these have; of
/// the GPUs left out the slowest is drawn from it, and a step is longer by what that one computes more than
/// the slowest one simulated. Nothing where no two GPUs have the same work or where all of them computed as
/// long.
[[nodiscard]] std::optional<WholeClusterEstimate> estimate_whole(std::int64_t step_ps,
                                                                 std::span<const std::int64_t> compute_ps,
                                                                 const ReplicaSample& sample);

/// How much longer than another a GPU with the same work waited, at most [ps]: 0 of replicas that are copies
/// of each other (in lockstep). `exposed_ps`: by GPU, in one step.
[[nodiscard]] std::int64_t replicas_apart(std::span<const std::int64_t> exposed_ps,
                                          const ReplicaSample& sample);

}  // namespace lightrail

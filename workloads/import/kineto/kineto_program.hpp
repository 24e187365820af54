#pragma once
#include <cstdint>
#include <functional>

#include "workloads/import/kineto/kineto_rank.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

/// How one rank's capture becomes a program.
struct ReplayOptions {
  std::int64_t epoch_ns = 0;  ///< what the rank's own clock showed when the job started [ns]
  /// Fills group, dimension and peer of the operation that replays communication `index`.
  std::function<void(std::size_t index, Op& op)> bind_communication;
};

/// The program that repeats what the rank did: one stream a CUDA stream, one host stream a CPU thread.
/// - A kernel waits for the CPU to reach its launch; the CPU time between calls is kept, waiting for the GPU
/// is not.
/// - A kernel follows what was launched before it on its stream, and what its stream was told to wait for.
/// README.md of this folder has the rules and their limits. Kernels keep their measured durations.
[[nodiscard]] Program make_replay_program(const RankTrace& trace, const ReplayOptions& options,
                                          JobBuilder& job);

}  // namespace lightrail

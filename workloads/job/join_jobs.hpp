#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/time.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

/// A job that was made as if it had a system of its own, and the GPUs that it has.
struct PlacedJob {
  std::string name;
  SimTime start{};
  Job job = {};
  std::vector<std::uint32_t> gpus = {};  ///< of the system; the job's GPU r is gpus[r]
  /// Where what was joined has the job's own operations: indices that were 0 in the job. Set by join_jobs().
  std::uint32_t first_program = 0, first_shape = 0;
  std::uint16_t first_dimension = 0;
};

/// One job of a system of `gpu_count` GPUs that does what all of `jobs` do, side by side: ProgramSet::jobs
/// has their names, starts and iterations. Group kinds, dimensions of traffic and roles are called
/// "NAME.tp"; GPUs that no job has are idle. The jobs are used up but for their names, starts, GPUs and
/// first indices. Throws InputErrors where there are more group kinds, dimensions or other tables' rows than
/// one job may have, and where two jobs have the same GPU.
[[nodiscard]] Job join_jobs(std::vector<PlacedJob>& jobs, std::uint32_t gpu_count);

}  // namespace lightrail

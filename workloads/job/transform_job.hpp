#pragma once
#include <cstdint>
#include <vector>

#include "workloads/job/job.hpp"

namespace lightrail {

/// What recorded durations are multiplied with to replay a job on another GPU or CPU.
struct KernelScale {
  double gemm = 1;          ///< matrix units
  double attention = 1;     ///< fused attention
  double memory_bound = 1;  ///< everything else inside the GPU
  double host = 1;          ///< CPU time; 0: launches cost nothing
};

/// Multiplies the durations of kernels (by class, told from their names) and of CPU spans. Copies between GPU
/// and host and operations timed from a shape stay.
void scale_job(Job& job, const KernelScale& scale);

/// The groups of a kind as lists of the job's GPUs; regular kinds are spelled out.
[[nodiscard]] std::vector<std::vector<EndpointId>> lists_of(const GroupKind& kind, std::uint32_t gpu_count);

/// Moves GPU g of the job to `placement[g]` of a system of `gpu_count` GPUs; empty: to GPU g. GPUs that get
/// none are idle. Throws InputErrors when the job has more GPUs than the placement, or one GPU would get two.
void place_job(Job& job, const std::vector<std::uint32_t>& placement, std::uint32_t gpu_count);

}  // namespace lightrail

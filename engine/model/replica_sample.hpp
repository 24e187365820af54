#pragma once
#include <cstdint>
#include <vector>

namespace lightrail {

/// The data-parallel replicas of a job that are simulated, where each stands for several, or where all may go
/// in lockstep. A Model resource.
struct ReplicaSample {
  std::uint32_t stands_for = 1;  ///< replicas that one does
  bool is_drawn = true;          ///< they differ by what is drawn for each GPU
  /// By GPU: those of one number do the same work, in each replica one.
  std::vector<std::uint32_t> work_of_gpu;
};

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <vector>

namespace lightrail {

/// One micro-batch's way through a stage.
struct Pass {
  bool is_forward = true;
  std::int64_t micro_batch = 0;
  bool operator==(const Pass&) const = default;
};

/// The order of a stage in 1F1B (PipeDream-Flush): as many forward passes as stages follow, then one forward
/// and one backward in turn, then the remaining backward passes.
std::vector<Pass> one_forward_one_backward(std::uint32_t stage, std::uint32_t stages,
                                           std::int64_t micro_batches);

}  // namespace lightrail

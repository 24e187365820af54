#include "workloads/generate/training_schedule.hpp"

#include <algorithm>

namespace lightrail {

std::vector<Pass> one_forward_one_backward(std::uint32_t stage, std::uint32_t stages,
                                           std::int64_t micro_batches) {
  std::vector<Pass> order;
  std::int64_t ahead = std::min<std::int64_t>(micro_batches, stages - 1 - stage);
  for (std::int64_t i = 0; i < ahead; ++i) order.push_back({true, i});
  for (std::int64_t i = ahead; i < micro_batches; ++i) {
    order.push_back({true, i});
    order.push_back({false, i - ahead});
  }
  for (std::int64_t i = micro_batches - ahead; i < micro_batches; ++i) order.push_back({false, i});
  return order;
}

}  // namespace lightrail

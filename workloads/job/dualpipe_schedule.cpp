#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "workloads/job/pipeline_schedule.hpp"

namespace lightrail {

namespace {

/// The passes of a stage, each direction's micro-batches counted.
class DualPipeOrder {
 public:
  void forward(std::uint32_t chunk) { order_.push_back({PassKind::forward, chunk, forward_[chunk]++}); }
  void backward(std::uint32_t chunk, bool is_split = false) {
    const std::int64_t micro_batch = backward_[chunk]++;
    order_.push_back({is_split ? PassKind::input_gradient : PassKind::backward, chunk, micro_batch});
    if (is_split) owed_.emplace_back(chunk, micro_batch);
  }
  void both(std::uint32_t ahead, std::uint32_t back) {
    forward(ahead);
    order_.back().overlaps_next = true;
    backward(back);
  }
  /// The oldest one owed.
  void weights() {
    order_.push_back({PassKind::weight_gradient, owed_.front().first, owed_.front().second});
    owed_.pop_front();
  }
  std::vector<ChunkPass> take() { return std::move(order_); }

 private:
  std::vector<ChunkPass> order_;
  std::int64_t forward_[2] = {0, 0}, backward_[2] = {0, 0};
  std::deque<std::pair<std::uint32_t, std::int64_t>> owed_;
};

}  // namespace

std::vector<ChunkPass> dualpipe_schedule(std::uint32_t stage, std::uint32_t stages,
                                         std::int64_t micro_batches) {
  // `near` is the direction whose micro-batches enter at the nearer end, `depth` stages away; between this
  // stage and the middle lie `inner`.
  const std::uint32_t near = stage < stages / 2 ? 0 : 1, far = 1 - near;
  const std::uint32_t depth = std::min(stage, stages - 1 - stage), inner = stages / 2 - 1 - depth;
  DualPipeOrder order;
  for (std::uint32_t i = 0; i < 2 * inner; ++i) order.forward(near);
  for (std::uint32_t i = 0; i <= depth; ++i) order.forward(near), order.forward(far);
  for (std::uint32_t i = 0; i < inner; ++i) order.backward(far, true), order.weights(), order.forward(far);
  const std::int64_t rounds = micro_batches / 2 - stages + depth + 1;
  for (std::int64_t i = 0; i < rounds; ++i) {
    // In the middle the first backward pass waits for what its neighbour's forward pass sends at the same
    // time: nothing to overlap.
    if (i == 0 && inner == 0)
      order.forward(near), order.backward(far);
    else
      order.both(near, far);
    order.both(far, near);
  }
  for (std::uint32_t i = 0; i < inner; ++i) order.backward(far), order.both(far, near);
  // From the middle of this phase on weights wait, so that gradients leave sooner.
  const std::uint32_t split_from = depth + 1;  // counted in passes
  for (std::uint32_t pass = 0; pass < 2 * (depth + 1); ++pass)
    order.backward(pass % 2 == 0 ? far : near, pass >= split_from);
  for (std::uint32_t i = 0; i < inner; ++i) order.weights(), order.backward(near, true);
  for (std::uint32_t i = 0; i <= depth; ++i) order.weights();
  return order.take();
}

}  // namespace lightrail

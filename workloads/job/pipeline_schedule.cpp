#include "workloads/job/pipeline_schedule.hpp"

#include <algorithm>

namespace lightrail {

std::vector<ChunkPass> interleaved_schedule(std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks,
                                            std::int64_t micro_batches) {
  const std::int64_t total = micro_batches * chunks, round = std::int64_t{stages} * chunks;
  const std::int64_t ahead =
      chunks == 1
          ? std::min<std::int64_t>(micro_batches, stages - 1 - stage)
          : std::min<std::int64_t>(total, 2 * (stages - 1 - stage) + (chunks - 1) * std::int64_t{stages});
  auto pass = [&](PassKind kind, std::int64_t k) {
    if (chunks == 1) return ChunkPass{kind, 0, k};
    const auto chunk = static_cast<std::uint32_t>(k % round / stages);
    return ChunkPass{kind, kind == PassKind::forward ? chunk : chunks - 1 - chunk,
                     k / round * stages + k % stages};
  };
  std::vector<ChunkPass> order;
  for (std::int64_t k = 0; k < ahead; ++k) order.push_back(pass(PassKind::forward, k));
  for (std::int64_t k = ahead; k < total; ++k) {
    order.push_back(pass(PassKind::forward, k));
    order.push_back(pass(PassKind::backward, k - ahead));
  }
  for (std::int64_t k = total - ahead; k < total; ++k) order.push_back(pass(PassKind::backward, k));
  return order;
}

std::vector<ChunkPass> zb_h1_schedule(std::uint32_t stage, std::uint32_t stages, std::int64_t micro_batches) {
  const auto ahead = std::min<std::int64_t>(micro_batches, stages - 1 - stage);
  const auto behind = std::min<std::int64_t>(micro_batches, stage);
  std::vector<ChunkPass> order;
  auto add = [&](PassKind kind, std::int64_t micro_batch) { order.push_back({kind, 0, micro_batch}); };
  auto backward = [&](std::int64_t k) {
    add(PassKind::input_gradient, k);
    if (k >= behind) add(PassKind::weight_gradient, k - behind);
  };
  for (std::int64_t k = 0; k < ahead; ++k) add(PassKind::forward, k);
  for (std::int64_t k = ahead; k < micro_batches; ++k) {
    add(PassKind::forward, k);
    backward(k - ahead);
  }
  for (std::int64_t k = micro_batches - ahead; k < micro_batches; ++k) backward(k);
  for (std::int64_t k = micro_batches - behind; k < micro_batches; ++k) add(PassKind::weight_gradient, k);
  return order;
}

}  // namespace lightrail

#include "workloads/pipeline_schedule.hpp"

#include <algorithm>

namespace lightrail {

std::vector<ChunkPass> interleaved_schedule(std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks,
                                            std::int64_t micro_batches) {
  const std::int64_t total = micro_batches * chunks, round = std::int64_t{stages} * chunks;
  const std::int64_t ahead =
      chunks == 1
          ? std::min<std::int64_t>(micro_batches, stages - 1 - stage)
          : std::min<std::int64_t>(total, 2 * (stages - 1 - stage) + (chunks - 1) * std::int64_t{stages});
  auto pass = [&](bool is_forward, std::int64_t k) {
    if (chunks == 1) return ChunkPass{is_forward, 0, k};
    const auto chunk = static_cast<std::uint32_t>(k % round / stages);
    return ChunkPass{is_forward, is_forward ? chunk : chunks - 1 - chunk, k / round * stages + k % stages};
  };
  std::vector<ChunkPass> order;
  for (std::int64_t k = 0; k < ahead; ++k) order.push_back(pass(true, k));
  for (std::int64_t k = ahead; k < total; ++k) {
    order.push_back(pass(true, k));
    order.push_back(pass(false, k - ahead));
  }
  for (std::int64_t k = total - ahead; k < total; ++k) order.push_back(pass(false, k));
  return order;
}

}  // namespace lightrail

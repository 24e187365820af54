#include "workloads/job/pipeline_schedule.hpp"

#include <algorithm>

namespace lightrail {

namespace {

/// Forward passes of a stage before its first backward pass, where there are enough.
std::int64_t warm_up(std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks) {
  if (chunks == 1) return stages - 1 - stage;
  return 2 * (stages - 1 - stage) + (chunks - 1) * std::int64_t{stages};
}

/// 1F1B after `ahead` forward passes.
std::vector<ChunkPass> one_f_one_b(std::uint32_t stages, std::uint32_t chunks, std::int64_t micro_batches,
                                   std::int64_t ahead, bool is_paired) {
  const std::int64_t total = micro_batches * chunks, round = std::int64_t{stages} * chunks;
  ahead = std::min(ahead, total);
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
    order.back().overlaps_next = is_paired;
    order.push_back(pass(PassKind::backward, k - ahead));
  }
  for (std::int64_t k = total - ahead; k < total; ++k) order.push_back(pass(PassKind::backward, k));
  return order;
}

}  // namespace

std::vector<ChunkPass> interleaved_schedule(std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks,
                                            std::int64_t micro_batches) {
  return one_f_one_b(stages, chunks, micro_batches, warm_up(stage, stages, chunks), false);
}

std::vector<ChunkPass> paired_schedule(std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks,
                                       std::int64_t micro_batches) {
  return one_f_one_b(stages, chunks, micro_batches, warm_up(stage, stages, chunks) + 1, true);
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

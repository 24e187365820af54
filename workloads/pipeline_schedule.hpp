#pragma once
#include <cstdint>
#include <vector>

namespace lightrail {

/// One micro-batch's way through one chunk of layers of a stage.
struct ChunkPass {
  bool is_forward = true;
  std::uint32_t chunk = 0;
  std::int64_t micro_batch = 0;
  bool operator==(const ChunkPass&) const = default;
};

/// The order of a stage in interleaved 1F1B: stage s holds chunks s, s + stages, s + 2 stages ... of the
/// model, micro-batches go through in rounds of `stages`. Before its first backward pass a stage makes 2
/// (stages - 1 - stage) + (chunks - 1) stages forward passes (all, when there are no more). With one chunk it
/// is 1F1B. `micro_batches` is a multiple of `stages` unless `chunks` is 1. Source: Narayanan et al.,
/// "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", SC'21, section 2.2.
std::vector<ChunkPass> interleaved_schedule(std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks,
                                            std::int64_t micro_batches);

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <vector>

namespace lightrail {

/// What a pass computes. Backward is both gradients; zero-bubble schedules split it into the gradient of the
/// input, which the stage before waits for, and that of the weights, which nobody does.
enum class PassKind : std::uint8_t { forward, backward, input_gradient, weight_gradient };

/// One micro-batch's way through one chunk of layers of a stage.
struct ChunkPass {
  PassKind kind = PassKind::forward;
  std::uint32_t chunk = 0;
  std::int64_t micro_batch = 0;  ///< of those that go through the chunk
  bool overlaps_next = false;    ///< runs together with the next pass, each beside the other's communication

  [[nodiscard]] bool is_forward() const { return kind == PassKind::forward; }
  bool operator==(const ChunkPass&) const = default;
};

/// The order of a stage in interleaved 1F1B: stage s holds chunks s, s + stages, s + 2 stages ... of the
/// model, micro-batches go through in rounds of `stages`. Before its first backward pass a stage makes 2
/// (stages - 1 - stage) + (chunks - 1) stages forward passes (all, when there are no more). With one chunk it
/// is 1F1B. `micro_batches` is a multiple of `stages` unless `chunks` is 1. Source: Narayanan et al.,
/// "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", SC'21, section 2.2.
[[nodiscard]] std::vector<ChunkPass> interleaved_schedule(std::uint32_t stage, std::uint32_t stages,
                                                          std::uint32_t chunks, std::int64_t micro_batches);

/// Interleaved 1F1B whose forward and backward passes of the steady state run together, each beside the
/// other's exchange of experts' tokens: a stage makes one forward pass more before its first backward pass,
/// so that the two of a pair are never of one micro-batch. `chunks` is above 1 unless `stages` is 1. Source:
/// Megatron Core's overlap_moe_expert_parallel_comm (core/pipeline_parallel/schedules.py, combined_1f1b.py).
[[nodiscard]] std::vector<ChunkPass> paired_schedule(std::uint32_t stage, std::uint32_t stages,
                                                     std::uint32_t chunks, std::int64_t micro_batches);

/// The order of a stage in ZB-H1: 1F1B with the backward pass split; stage s lags s micro-batches behind with
/// the gradients of weights, so that every stage keeps at most `stages` micro-batches, as stage 0 does in
/// 1F1B. Idle time (stages - 1) (F + B - W) instead of (stages - 1) (F + B + W). Source: Qi et al., "Zero
/// Bubble Pipeline Parallelism", ICLR 2024, section 2.2.
[[nodiscard]] std::vector<ChunkPass> zb_h1_schedule(std::uint32_t stage, std::uint32_t stages,
                                                    std::int64_t micro_batches);

/// The order of a stage in DualPipe: half of the micro-batches enter at stage 0 (chunk 0), half at the last
/// stage (chunk 1), so that a stage holds layers s and stages - 1 - s of the model; in the steady state a
/// forward pass of one direction overlaps a backward pass of the other. Idle time (stages / 2 - 1) (F&B + B -
/// 3 W), B whole, where F takes as long as the gradient of the input and W no longer; (stages / 2 - 1) times
/// the difference more where F takes longer, F or (stages / 2 - 1) times the difference less, whichever is
/// less, where F is shorter (both found from this order, for W no longer than the gradient of the input).
/// `stages` is even, `micro_batches` (of both directions) even and at least 2 stages. Source: DeepSeek-V3
/// Technical Report, arXiv 2412.19437, section 3.2.1, figure 5 and table 2.
[[nodiscard]] std::vector<ChunkPass> dualpipe_schedule(std::uint32_t stage, std::uint32_t stages,
                                                       std::int64_t micro_batches);

}  // namespace lightrail

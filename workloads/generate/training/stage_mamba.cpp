#include <algorithm>
#include <cstdint>
#include <utility>

#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

/// A Mamba-2 block (Dao and Gu, arXiv 2405.21060, section 6) as Megatron Core has it (ssm/mamba_mixer.py):
/// a product that gives gate, inputs, states' projections and steps; a short convolution; the scan over
/// chunks of tokens as products; a gated norm; a product back. Heads and groups are split over tp, as
/// attention's heads are. The scan's products take the time of products; its Triton kernels have no measured
/// one here.
void StageWriter::mamba_forward() {
  const std::int64_t width = model_.mamba_width() / tp_, convolved = width + model_.mamba_states() / tp_;
  norm(false);
  cast_forward(From::kernel, cast_rows(), model_.mamba_inputs() / tp_, hidden_);
  gather_gemm("mamba in", model_.mamba_inputs() / tp_, hidden_);
  memory("convolution", 2 * 2 * tokens_ * convolved);
  mamba_scan(false);
  memory("gated norm", 3 * 2 * tokens_ * width);
  cast_forward(From::kernel, tokens_, hidden_, width);
  gemm_scatter("mamba out", hidden_, width);
  residual(false);
}

/// Scores of a chunk's tokens by group, what they add to a head's state, the state's way through the chunks
/// in FP32, and a token's output from its chunk and from the state before it. Backward the forward products
/// but the last are made again (mamba_ssm, ops/triton/ssd_combined.py), and each has two gradients.
void StageWriter::mamba_scan(bool is_backward) {
  const std::int64_t chunk = std::min(model_.mamba_chunk, plan_.sequence);
  const std::int64_t chunks = plan_.micro_batch * (plan_.sequence + chunk - 1) / chunk;
  const std::int64_t heads = chunks * model_.mamba_heads / tp_, groups = chunks * model_.mamba_groups / tp_;
  const std::int64_t state = model_.mamba_state, size = model_.mamba_head_dim;
  const DataType type = std::exchange(dtype_, DataType::bf16);
  gemm("scan scores", chunk, chunk, state, groups);
  gemm("scan states", state, size, chunk, heads);
  memory("scan passing", 2 * 4 * heads * state * size);
  if (!is_backward) {
    gemm("scan chunk", chunk, size, chunk, heads);
    gemm("scan output", chunk, size, state, heads);
  } else {
    // Of each product both operands' gradients.
    gemm("scan output gradients", chunk, state, size, 2 * heads);
    gemm("scan chunk gradients", chunk, chunk, size, 2 * heads);
    memory("scan passing backward", 3 * 4 * heads * state * size);
    gemm("scan states gradients", chunk, size, state, 2 * heads);
    gemm("scan scores gradients", chunk, state, chunk, 2 * groups);
  }
  dtype_ = type;
}

void StageWriter::mamba_backward() {
  const std::int64_t width = model_.mamba_width() / tp_, convolved = width + model_.mamba_states() / tp_;
  residual(true);
  cast_backward(From::other, cast_rows(), hidden_, width);
  gather_gemm("mamba out dgrad", width, hidden_);
  weight_gemm("mamba out wgrad", width, hidden_, tokens_);
  memory("gated norm backward", 5 * 2 * tokens_ * width);
  mamba_scan(true);
  memory("convolution backward", 3 * 2 * tokens_ * convolved);
  cast_backward(From::kernel, tokens_, model_.mamba_inputs() / tp_, hidden_);
  gathered_backward("mamba in", model_.mamba_inputs() / tp_, hidden_);
  norm(true);
}

}  // namespace lightrail

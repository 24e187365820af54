#include <cstdint>

#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

/// Attention beside the feed-forward (PaLM, arXiv 2204.02311, section 2: their products of the input are
/// fused): one norm, one product that gives queries, keys, values and the inside of the feed-forward, both
/// outputs summed by the second product; so tp gathers once and scatters once.
void StageWriter::parallel_forward() {
  const std::int64_t in = q_ + 2 * kv_ + model_.ffn_inputs() * ffn_;
  norm(false);
  cast_forward(From::kernel, cast_rows(), in, hidden_);
  gather_gemm("qkv and ffn in", in, hidden_);
  normalise_heads(false);
  if (model_.positions == 0) memory("rotary", 2 * 2 * tokens_ * (q_ + kv_));
  attention_core(false);
  activation(tokens_, ffn_);
  cast_forward(From::other, tokens_, hidden_, q_);
  gemm("attention out", tokens_, hidden_, q_);
  cast_forward(From::kernel, tokens_, hidden_, ffn_);
  gemm_scatter("ffn out", hidden_, ffn_);
  residual(false);
}

void StageWriter::parallel_backward() {
  const std::int64_t inner = model_.ffn_inputs() * ffn_, in = q_ + 2 * kv_ + inner;
  residual(true);
  bias_gradient(hidden_);
  bias_gradient(hidden_);
  cast_backward(From::other, cast_rows(), hidden_, q_ + ffn_);
  gather_gemm("ffn out dgrad", ffn_, hidden_);
  weight_gemm("ffn out wgrad", ffn_, hidden_, tokens_);
  gemm("attention out dgrad", tokens_, q_, hidden_);
  weight_gemm("attention out wgrad", q_, hidden_, tokens_);
  if (plan_.recomputes(recompute_module::core_attn)) attention_core(false);
  attention_core(true);
  if (model_.positions == 0) memory("rotary backward", 2 * 2 * tokens_ * (q_ + kv_));
  normalise_heads(true);
  memory("activation backward", 2 * tokens_ * (2 * inner + ffn_));
  clamp(true, tokens_, ffn_);
  bias_gradient(in);
  cast_backward(From::other, tokens_, in, hidden_);
  gathered_backward("qkv and ffn in", in, hidden_);
  norm(true);
}

}  // namespace lightrail

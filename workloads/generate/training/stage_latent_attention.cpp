#include <cstdint>

#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

/// Multi-head latent attention as it is trained (DeepSeek-V2, arXiv 2405.04434, section 2.1): queries, keys
/// and values are multiplied out of their latents, then all heads attend as usual. Over tp as Megatron Core
/// has it (transformer/multi_latent_attention.py): products down to the latents and the latents' norms are
/// whole on every GPU, each for its part of the sequence; latents are gathered, and so is the keys' part with
/// positions; products up are split over heads. Over cp keys and values go round as all heads' are.
void StageWriter::latent_attention_forward() {
  norm(false);
  cast_forward(From::kernel, local_, model_.latent + model_.q_latent, hidden_);
  if (model_.q_latent > 0) gemm("q down", local_, model_.q_latent, hidden_);
  gemm("kv down", local_, model_.latent, hidden_);
  collective(CollectiveType::all_gather, groups_.tp, "tp", 2 * tokens_ * model_.rope_dim);
  latents_forward(0);
  small_kernels("latent copies", 10);  // parted, repeated for every head, joined
  attention_core(false);
  cast_forward(From::other, tokens_, hidden_, context_width());
  gemm_scatter("attention out", hidden_, context_width());
  residual(false);
}

void StageWriter::latents_forward(std::int64_t rows) {
  const std::int64_t heads = model_.heads / tp_, queries = heads * model_.query_size();
  if (model_.q_latent > 0) {
    memory("q norm", 2 * 2 * local_ * model_.q_latent);
    cast_forward(From::kernel, cast_rows(), queries, model_.q_latent);
    gather_gemm("q up", queries, model_.q_latent);
  } else {
    cast_forward(From::kernel, rows, queries, hidden_);
    gather_gemm("q", queries, hidden_);
  }
  memory("kv norm", 2 * 2 * local_ * model_.kv_latent());
  const std::int64_t up = heads * (model_.head_size() + model_.value_size());
  cast_forward(From::kernel, cast_rows(), up, model_.kv_latent());
  gather_gemm("kv up", up, model_.kv_latent());
  memory("rotary", 2 * 2 * tokens_ * (heads + 1) * model_.rope_dim);
}

void StageWriter::latent_attention_backward() {
  const std::int64_t heads = model_.heads / tp_, queries = heads * model_.query_size(),
                     values = context_width(), up = heads * model_.head_size() + values;
  residual(true);
  cast_backward(From::other, cast_rows(), hidden_, values);
  gather_gemm("attention out dgrad", values, hidden_);
  weight_gemm("attention out wgrad", values, hidden_, tokens_);
  if (plan_.recomputes(recompute_module::core_attn)) attention_core(false);
  attention_core(true);
  small_kernels("latent copies backward", 16);
  memory("rotary backward", 2 * 2 * tokens_ * (heads + 1) * model_.rope_dim);
  collective(CollectiveType::reduce_scatter, groups_.tp, "tp", 2 * tokens_ * model_.rope_dim);
  cast_backward(From::other, tokens_, up, model_.kv_latent());
  gathered_backward("kv up", up, model_.kv_latent());
  memory("kv norm backward", 3 * 2 * local_ * model_.kv_latent());
  cast_backward(From::kernel, local_, model_.latent, hidden_);
  local_backward("kv down", model_.latent, hidden_);
  cast_backward(From::other, tokens_, queries, model_.q_latent > 0 ? model_.q_latent : hidden_);
  if (model_.q_latent > 0) {
    gathered_backward("q up", queries, model_.q_latent);
    memory("q norm backward", 3 * 2 * local_ * model_.q_latent);
    cast_backward(From::kernel, local_, model_.q_latent, hidden_);
    local_backward("q down", model_.q_latent, hidden_, true);
  } else {
    // What was gathered is cast by itself.
    gathered_backward("q", queries, hidden_, !groups_.tp.is_valid());
  }
  norm(true);
}

}  // namespace lightrail

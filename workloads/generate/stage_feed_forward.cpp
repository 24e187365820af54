#include "workloads/generate/stage_writer.hpp"

namespace lightrail {

void StageWriter::feed_forward() {
  std::int64_t inner = model_.ffn_inputs() * ffn_;
  norm(false);
  gather_gemm("ffn in", inner, hidden_);
  memory("activation", 2 * tokens_ * (inner + ffn_));
  gemm_scatter("ffn out", hidden_, ffn_);
  residual(false);
}

void StageWriter::feed_forward_backward() {
  std::int64_t inner = model_.ffn_inputs() * ffn_;
  residual(true);
  bias_gradient(hidden_);
  cast(local_, hidden_);
  gather_gemm("ffn out dgrad", ffn_, hidden_);
  weight_gemm("ffn out wgrad", ffn_, hidden_, tokens_);
  memory("activation backward", 2 * tokens_ * (2 * inner + ffn_));
  bias_gradient(inner);
  gathered_backward("ffn in", inner, hidden_);
  norm(true);
}

/// Dispatch, or combine; in the backward pass each one's transpose. Only a forward pass's dispatch comes as a
/// surprise: the others send what it sent, or send it back.
void StageWriter::exchange(bool is_dispatch, bool is_known) {
  const std::int64_t bytes = 2 * local_ * model_.active_experts * hidden_;
  if (!groups_.ep.is_valid()) return;
  Op call = collective_op(CollectiveType::all_to_all, groups_.ep, "ep", bytes);
  call.split = is_dispatch ? splits_.dispatch : splits_.combine;
  if (!is_dispatch)
    call.bytes = static_cast<std::int64_t>(static_cast<double>(bytes / 2) * splits_.combine_bytes) * 2;
  if (is_known)
    call.root = known_before;
  else if (expected_ != 0)
    call.root = expects_split + expected_;
  chain(call);
}

void StageWriter::experts_forward() {
  std::int64_t k = model_.active_experts, rows = local_ * k * plan_.expert_tp(),
               inner = model_.ffn_inputs() * expert_ffn_;
  std::int64_t experts = model_.experts / plan_.ep, each = (rows + experts - 1) / experts;
  norm(false);
  dtype_ = DataType::bf16;
  gemm("router", local_, model_.experts, hidden_);
  dtype_ = plan_.dtype;
  memory("permute", 2 * local_ * hidden_ * (1 + k));
  exchange(true, forward_is_known_);
  collective(CollectiveType::all_gather, groups_.etp, "tp", 2 * rows * hidden_);
  cast(rows, hidden_);
  gemm("experts in", each, inner, hidden_, experts);
  memory("activation", 2 * rows * (inner + expert_ffn_));
  gemm("experts out", each, hidden_, expert_ffn_, experts);
  collective(CollectiveType::reduce_scatter, groups_.etp, "tp", 2 * rows * hidden_);
  exchange(false, true);
  memory("unpermute", 2 * local_ * hidden_ * (1 + k));
  residual(false);
}

void StageWriter::experts_backward() {
  std::int64_t k = model_.active_experts, rows = local_ * k * plan_.expert_tp(),
               inner = model_.ffn_inputs() * expert_ffn_;
  std::int64_t experts = model_.experts / plan_.ep, each = (rows + experts - 1) / experts;
  residual(true);
  memory("unpermute backward", 2 * local_ * hidden_ * (1 + k));
  exchange(true, true);
  collective(CollectiveType::all_gather, groups_.etp, "tp", 2 * rows * hidden_);
  cast(rows, hidden_);
  gemm("experts out dgrad", each, expert_ffn_, hidden_, experts);
  weight_gemm("experts out wgrad", expert_ffn_, hidden_, each, experts);
  memory("activation backward", 2 * rows * (2 * inner + expert_ffn_));
  gemm("experts in dgrad", each, hidden_, inner, experts);
  weight_gemm("experts in wgrad", hidden_, inner, each, experts);
  collective(CollectiveType::reduce_scatter, groups_.etp, "tp", 2 * rows * hidden_);
  exchange(false, true);
  memory("permute backward", 2 * local_ * hidden_ * (1 + k));
  dtype_ = DataType::bf16;
  gemm("router dgrad", local_, hidden_, model_.experts);
  weight_gemm("router wgrad", hidden_, model_.experts, local_);
  dtype_ = plan_.dtype;
  norm(true);
}

}  // namespace lightrail

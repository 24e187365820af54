#include <cmath>
#include <cstdint>
#include <string>

#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

void StageWriter::inner_forward(const std::string& name, std::int64_t width) {
  const std::int64_t inner = model_.ffn_inputs() * width;
  cast_forward(From::kernel, cast_rows(), inner, hidden_);
  gather_gemm(name + " in", inner, hidden_);
  activation(tokens_, width);
  cast_forward(From::kernel, tokens_, hidden_, width);
  gemm_scatter(name + " out", hidden_, width);
}

void StageWriter::inner_backward(const std::string& name, std::int64_t width) {
  const std::int64_t inner = model_.ffn_inputs() * width;
  bias_gradient(hidden_);
  cast_backward(From::other, cast_rows(), hidden_, width);
  gather_gemm(name + " out dgrad", width, hidden_);
  weight_gemm(name + " out wgrad", width, hidden_, tokens_);
  adapter_backward(name + " out", hidden_, width);
  memory("activation backward", 2 * tokens_ * (2 * inner + width));
  clamp(true, tokens_, width);
  bias_gradient(inner);
  cast_backward(From::kernel, tokens_, inner, hidden_);
  gathered_backward(name + " in", inner, hidden_);
}

void StageWriter::feed_forward() {
  norm(false);
  inner_forward("ffn", ffn_);
  residual(false);
}

void StageWriter::feed_forward_backward() {
  residual(true);
  inner_backward("ffn", ffn_);
  norm(true);
}

/// Dispatch, or combine; in the backward pass each one's transpose. Only a forward pass's dispatch comes as a
/// surprise: the others send what it sent, or send it back.
void StageWriter::exchange(bool is_dispatch, bool is_known) {
  if (!groups_.ep.is_valid()) return;
  const std::int64_t copies = splits_.dispatch == 0 ? plan_.kept_tokens(model_) : plan_.routed_tokens(model_);
  const std::int64_t bytes = copies * (is_dispatch ? plan_.dispatch_bytes(model_) : 2 * hidden_);
  Op call = collective_op(CollectiveType::all_to_all, groups_.ep, "ep", bytes);
  call.algorithm = plan_.exchange;
  call.peer = model_.expert_counts().packed();
  call.split = is_dispatch ? splits_.dispatch : splits_.combine;
  const std::int64_t elements = bytes / 2;  // of two bytes each, on the way back
  if (!is_dispatch)
    call.bytes = static_cast<std::int64_t>(static_cast<double>(elements) * splits_.combine_bytes) * 2;
  if (is_known)
    call.root = known_before;
  else if (expected_ != 0)
    call.root = expects_split + expected_;
  chain(call);
}

/// Quantised where the token is, before it goes to several experts; norms write FP8 already.
void StageWriter::quantize_for_dispatch(bool is_backward) {
  if (plan_.dispatch == DataType::fp8 && (is_backward || plan_.dtype != DataType::fp8))
    memory("quantize", (2 + 1) * local_ * hidden_);
}

/// Products of experts take FP8 as it comes; its other layout follows with the gradients of weights.
void StageWriter::dequantize(std::int64_t rows) {
  if (plan_.dispatch == DataType::fp8 && plan_.dtype != DataType::fp8)
    memory("dequantize", (1 + 2) * rows * hidden_);
}

/// What comes over the group is in the order of its senders; a GPU's experts take theirs one after the other.
/// DeepEP leaves that to the permutation on arrival.
void StageWriter::sort_by_expert(const std::string& name, std::int64_t rows, std::int64_t token_bytes) {
  if (groups_.ep.is_valid() && local_experts() > 1 && plan_.token_buffers == TokenBuffers::by_sender)
    memory(name, 2 * rows * token_bytes);
}

/// HybridEP: every member gathers where all tokens go and makes its tables of it, once a forward pass.
void StageWriter::gather_routing_maps() {
  if (plan_.token_buffers != TokenBuffers::staged) return;
  const std::int64_t bytes = plan_.routing_map_bytes(model_);
  collective(CollectiveType::all_gather, groups_.ep, "ep", bytes, 1);
  memory("routing scan", bytes);
}

/// Own tokens and copies for experts before they are sent, or what came once a token, and the copies.
std::int64_t StageWriter::permuted_tokens() const {
  const std::int64_t copies = expert_rows() / plan_.expert_tp();
  if (plan_.token_buffers == TokenBuffers::by_sender) return local_ + copies;
  return plan_.arrived_tokens(model_, copies) + copies;
}

void StageWriter::dispatch(const std::string& permutation, bool is_known) {
  const std::int64_t token = plan_.dispatch_bytes(model_), moved = permuted_tokens();
  const bool is_before = plan_.token_buffers == TokenBuffers::by_sender;
  if (is_before) memory(permutation, moved * token);
  if (plan_.token_buffers == TokenBuffers::staged && plan_.ep_servers > 1)
    memory("copy to buffers", 2 * local_ * token);
  exchange(true, is_known);
  load_ = plan_.has_uneven_experts ? splits_.load : 0;
  if (!is_before) memory(permutation, moved * token);
}

void StageWriter::combine(const std::string& permutation) {
  const std::int64_t bytes = 2 * hidden_ * permuted_tokens();
  const bool is_before = plan_.token_buffers != TokenBuffers::by_sender;
  if (is_before) memory(permutation, bytes);
  load_ = 0;
  exchange(false, true);
  if (!is_before) memory(permutation, bytes);
}

/// Both halves clamped and joined again, beside the kernel of the activation (Megatron Core,
/// fusions/fused_bias_geglu.py); backward a mask of each and the gradient of their parting.
void StageWriter::clamp(bool is_backward, std::int64_t rows, std::int64_t width) {
  if (!model_.clamped) return;
  memory(is_backward ? "clamp backward" : "clamp", (is_backward ? 6 + 6 + 8 : 4 + 4 + 8) * rows * width, 3);
}

/// Each expert's bias times its tokens' probabilities is added in FP32, then all are joined and cast
/// (Megatron Core, transformer/moe/experts.py). Backward: cast, the outputs' gradients cast and joined,
/// products with the probabilities and with the bias, and sums of both.
void StageWriter::expert_biases(bool is_backward, std::int64_t rows) {
  if (!model_.biases) return;
  const std::int64_t bytes =
      is_backward ? (2 + 4) + (4 + 2) + (2 + 2) + 2 * (4 + 4) + 2 * 4 : 4 + (2 + 4 + 4) + (4 + 4) + (4 + 2);
  memory(is_backward ? "expert biases backward" : "expert biases", bytes * rows * hidden_,
         (is_backward ? 5 : 2) * local_experts() + 2);
}

std::int64_t StageWriter::expert_rows() const {
  const auto routed = static_cast<double>(plan_.routed_tokens(model_));
  const std::int64_t kept =
      splits_.dispatch == 0 ? plan_.kept_tokens(model_) : std::llround(routed * splits_.kept);
  return kept * plan_.expert_tp();
}

void StageWriter::activation(std::int64_t rows, std::int64_t width) {
  clamp(false, rows, width);
  memory("activation", 2 * rows * (model_.ffn_inputs() + 1) * width);
}

void StageWriter::experts_forward() {
  const std::int64_t rows = expert_rows(), inner = model_.ffn_inputs() * expert_ffn_;
  const std::int64_t experts = local_experts(), each = (rows + experts - 1) / experts;
  // Grouped products cast expert by expert: what weighs activations by probabilities writes two bytes. Where
  // tokens are dispatched in FP8, so is what is between the products.
  const bool casts = plan_.dispatch != DataType::fp8;
  norm(false);
  if (shared_ffn_ > 0) inner_forward("shared experts", shared_ffn_);
  dtype_ = DataType::bf16;
  gemm("router", local_, model_.experts, hidden_);
  dtype_ = plan_.dtype;
  small_kernels("router choice", plan_.router_kernels == RouterKernels::fused ? 30 : 71);
  scope_ = graph_scope::moe_preprocess;
  small_kernels("token maps", 8);
  scope_ = 0;
  gather_routing_maps();
  if (!forward_is_known_) read_counts();
  quantize_for_dispatch(false);
  dispatch("permute", forward_is_known_);
  collective(CollectiveType::all_gather, groups_.etp, "tp", rows * plan_.dispatch_bytes(model_));
  sort_by_expert("sort by expert", rows, plan_.dispatch_bytes(model_));
  dequantize(rows);
  if (casts) cast_forward(From::other, rows, inner, hidden_, experts);
  gemm("experts in", each, inner, hidden_, experts);
  activation(rows, expert_ffn_);
  if (casts) cast_forward(From::experts, rows, hidden_, expert_ffn_, experts);
  gemm("experts out", each, hidden_, expert_ffn_, experts);
  expert_biases(false, rows);
  sort_by_expert("sort by sender", rows, 2 * hidden_);
  collective(CollectiveType::reduce_scatter, groups_.etp, "tp", 2 * rows * hidden_);
  combine("unpermute");
  if (shared_ffn_ > 0) memory("shared sum", 3 * 2 * local_ * hidden_);
  residual(false);
}

void StageWriter::experts_backward() {
  const std::int64_t rows = expert_rows(), inner = model_.ffn_inputs() * expert_ffn_;
  const std::int64_t experts = local_experts(), each = (rows + experts - 1) / experts;
  const bool casts = plan_.dispatch != DataType::fp8;
  residual(true);
  scope_ = graph_scope::moe_router;
  if (shared_ffn_ > 0) inner_backward("shared experts", shared_ffn_);
  scope_ = 0;
  quantize_for_dispatch(true);
  dispatch("unpermute backward", true);
  collective(CollectiveType::all_gather, groups_.etp, "tp", rows * plan_.dispatch_bytes(model_));
  sort_by_expert("sort by expert", rows, plan_.dispatch_bytes(model_));
  expert_biases(true, rows);
  dequantize(rows);
  if (casts) cast_backward(From::other, rows, hidden_, expert_ffn_, experts);
  gemm("experts out dgrad", each, expert_ffn_, hidden_, experts);
  // DeepSeek-V3, section 3.5.2: dequantised, transposed, quantised along the tokens and written.
  const bool is_transposed = plan_.dispatch == DataType::fp8 && plan_.dtype == DataType::fp8;
  if (is_transposed) weight_memory("transpose gradients", 2 * rows * hidden_);
  weight_gemm("experts out wgrad", expert_ffn_, hidden_, each, experts);
  memory("activation backward", 2 * rows * (2 * inner + expert_ffn_));
  clamp(true, rows, expert_ffn_);
  if (casts) cast_backward(From::other, rows, inner, hidden_, experts);
  gemm("experts in dgrad", each, hidden_, inner, experts);
  if (is_transposed) weight_memory("transpose tokens", 2 * rows * hidden_);
  weight_gemm("experts in wgrad", hidden_, inner, each, experts);
  sort_by_expert("sort by sender", rows, 2 * hidden_);
  collective(CollectiveType::reduce_scatter, groups_.etp, "tp", 2 * rows * hidden_);
  combine("permute backward");
  scope_ = graph_scope::moe_router;
  small_kernels("router choice backward", 30);
  dtype_ = DataType::bf16;
  gemm("router dgrad", local_, hidden_, model_.experts);
  weight_gemm("router wgrad", hidden_, model_.experts, local_);
  dtype_ = plan_.dtype;
  norm(true);
}

}  // namespace lightrail

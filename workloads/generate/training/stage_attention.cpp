#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

void StageWriter::attention_kernel(bool is_backward, std::int64_t queries, std::int64_t keys,
                                   bool is_causal) {
  KernelShape shape;
  shape.kind = KernelKind::attention;
  shape.dtype = DataType::bf16;
  shape.causal = is_causal;
  shape.backward = is_backward;
  shape.batch = plan_.micro_batch;
  shape.m = queries, shape.n = keys;
  // A block of queries sees the window before its first one and the block itself.
  constexpr std::int64_t block = 128;
  if (is_windowed_ && model_.window + block < keys) {
    shape.n = model_.window + block;
    shape.causal = false;
  }
  shape.heads = model_.heads / tp_;
  shape.kv_heads = std::max<std::int64_t>(1, model_.kv() / tp_);
  shape.head_dim = model_.query_size();
  if (model_.has_latent_attention()) shape.k = model_.value_size();
  Op kernel = op(OpKind::compute, "compute", is_backward ? "attention backward" : "attention");
  kernel.shape = job_.shape(shape);
  chain(kernel);
}

void StageWriter::attention_core(bool is_backward) {
  if (is_separate()) return unfused_attention(is_backward);
  if (plan_.cp > 1) return ring_attention(is_backward);
  attention_kernel(is_backward, plan_.sequence, plan_.sequence, true);
}

/// Scores are written and read again by every kernel: 2 bytes an element, dropout's mask one.
void StageWriter::unfused_attention(bool is_backward) {
  const std::int64_t s = plan_.sequence, d = model_.head_size(),
                     batch = plan_.micro_batch * model_.heads / tp_;
  const std::int64_t scores = batch * s * s;
  if (!is_backward) {
    gemm("scores", s, s, d, batch);
    memory("softmax", (2 + 2) * scores);
    if (plan_.dropout) memory("attention dropout", (2 + 2 + 1) * scores);
    gemm("context", s, d, s, batch);
    memory("transpose", 2 * 2 * tokens_ * q_);
    return;
  }
  memory("transpose backward", 2 * 2 * tokens_ * q_);
  gemm("context dgrad", s, s, d, batch);
  gemm("values grad", s, d, s, batch);
  if (plan_.dropout) memory("attention dropout backward", (2 + 2 + 1) * scores);
  memory("softmax backward", (2 + 2 + 2) * scores);
  gemm("queries grad", s, d, s, batch);
  gemm("keys grad", s, d, s, batch);
}

/// Sends to the next member and receives from the previous one; the index of the receive.
std::uint32_t StageWriter::context_shift(std::int64_t bytes, std::uint32_t lane,
                                         const std::vector<std::uint32_t>& after) {
  auto move = [&](OpKind kind, const std::string& name, std::int32_t peer) {
    Op call = op(kind, (name + " " + std::to_string(lane)).c_str(), name);
    call.group = groups_.cp;
    call.dimension = job_.dimension("cp");
    call.peer_mode = PeerMode::offset;
    call.peer = peer;
    call.bytes = bytes;
    call.root = lane;
    return beside(call, after);
  };
  move(OpKind::send, "cp send", 1);
  return move(OpKind::recv, "cp recv", -1);
}

/// Keys and values go round the group while the product of those that are here goes on. A sequence is cut in
/// 2 cp parts and a GPU has the i-th from the front and the i-th from the back, so that all have the same
/// work: the causal square of their own, then cp - 1 times all queries with half of the keys. Backward, the
/// gradients of keys and values follow them, a step behind, and home at the end.
void StageWriter::ring_attention(bool is_backward) {
  const std::int64_t mine = plan_.sequence / plan_.cp, keys_values = 2 * tokens_ * key_value_width();
  std::vector<std::uint32_t> here = waits_, gradients;
  for (std::uint32_t step = 0; step < plan_.cp; ++step) {
    if (step > 0) waits_.insert(waits_.end(), here.begin(), here.end());
    if (step + 1 < plan_.cp) here = {context_shift(keys_values, is_backward ? 1 : 0, here)};
    attention_kernel(is_backward, mine, step == 0 ? mine : mine / 2, step == 0);
    if (step > 0 && !is_backward) memory("attention merge", 3 * 2 * tokens_ * context_width());
    if (!is_backward) continue;
    gradients.push_back(waits_[0]);
    gradients = {context_shift(keys_values, 2, gradients)};
  }
  waits_.insert(waits_.end(), gradients.begin(), gradients.end());
}

std::int64_t StageWriter::key_value_width() const {
  if (!model_.has_latent_attention()) return 2 * kv_;
  return model_.heads / tp_ * (model_.query_size() + model_.value_size());
}

/// Norms of every head's query and key.
void StageWriter::normalise_heads(bool is_backward) {
  if (!model_.qk_norm) return;
  memory(is_backward ? "qk norm backward" : "qk norm", (is_backward ? 3 : 2) * 2 * tokens_ * (q_ + kv_), 2);
}

void StageWriter::attention_forward() {
  if (model_.has_latent_attention()) return latent_attention_forward();
  norm(false);
  cast_forward(From::kernel, cast_rows(), q_ + 2 * kv_, hidden_);
  gather_gemm("qkv", q_ + 2 * kv_, hidden_);
  normalise_heads(false);
  if (model_.positions == 0) memory("rotary", 2 * 2 * tokens_ * (q_ + kv_));
  attention_core(false);
  cast_forward(From::other, tokens_, hidden_, q_);
  gemm_scatter("attention out", hidden_, q_);
  residual(false);
}

void StageWriter::attention_backward() {
  if (model_.has_latent_attention()) return latent_attention_backward();
  residual(true);
  bias_gradient(hidden_);
  cast_backward(From::other, cast_rows(), hidden_, q_);
  gather_gemm("attention out dgrad", q_, hidden_);
  weight_gemm("attention out wgrad", q_, hidden_, tokens_);
  adapter_backward("attention out", hidden_, q_);
  if (plan_.recomputes(recompute_module::core_attn)) attention_core(false);
  attention_core(true);
  if (model_.positions == 0) memory("rotary backward", 2 * 2 * tokens_ * (q_ + kv_));
  normalise_heads(true);
  bias_gradient(q_ + 2 * kv_);
  cast_backward(From::other, tokens_, q_ + 2 * kv_, hidden_);
  gathered_backward("qkv", q_ + 2 * kv_, hidden_);
  norm(true);
}

}  // namespace lightrail

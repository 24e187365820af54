#include "workloads/generate/stage_writer.hpp"

#include <algorithm>

#include "engine/base/error.hpp"
#include "workloads/operation_names.hpp"

namespace lightrail {

StageWriter::StageWriter(const Transformer& model, const TrainingPlan& plan, const TrainingGroups& groups,
                         std::uint32_t stage, JobBuilder& job)
    : model_(model),
      plan_(plan),
      groups_(groups),
      stage_(stage),
      job_(job),
      tokens_(plan.tokens()),
      local_(plan.local_tokens()),
      hidden_(model.hidden),
      tp_(plan.tp),
      q_(model.attention_width() / plan.tp),
      kv_(std::max<std::int64_t>(1, model.kv() / plan.tp) * model.head_size()),
      ffn_(model.ffn / plan.tp) {
  program_.role = "stage " + std::to_string(stage);
  program_.streams = {"compute"};
}

Op StageWriter::op(OpKind kind, const char* stream, const std::string& name) {
  Op made;
  made.kind = kind;
  made.stream = stream_of(program_, stream);
  made.name = job_.name(name);
  made.dimension = no_dimension;
  return made;
}

std::uint32_t StageWriter::chain(Op next) {
  std::erase_if(waits_, [&](std::uint32_t i) { return program_.ops[i].stream == next.stream; });
  std::uint32_t index = append(program_, next, waits_);
  waits_ = {index};
  return index;
}

void StageWriter::marker(const std::string& name) {
  chain(op(OpKind::marker, "compute", name));
}

void StageWriter::gemm(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
                       std::int64_t batch) {
  KernelShape shape;
  shape.kind = KernelKind::gemm;
  shape.dtype = plan_.dtype;
  shape.m = m, shape.n = n, shape.k = k, shape.batch = batch;
  Op kernel = op(OpKind::compute, "compute", name);
  kernel.shape = job_.shape(shape);
  chain(kernel);
}

void StageWriter::attention_kernel(bool is_backward) {
  KernelShape shape;
  shape.kind = KernelKind::attention;
  shape.dtype = DataType::bf16;
  shape.causal = 1;
  shape.backward = is_backward;
  shape.batch = plan_.micro_batch;
  shape.m = shape.n = plan_.sequence;
  shape.heads = model_.heads / tp_;
  shape.kv_heads = std::max<std::int64_t>(1, model_.kv() / tp_);
  shape.head_dim = model_.head_size();
  Op kernel = op(OpKind::compute, "compute", is_backward ? "attention backward" : "attention");
  kernel.shape = job_.shape(shape);
  chain(kernel);
}

void StageWriter::memory(const std::string& name, std::int64_t bytes) {
  KernelShape shape;
  shape.kind = KernelKind::memory_bound;
  shape.bytes = bytes;
  Op kernel = op(OpKind::compute, "compute", name);
  kernel.shape = job_.shape(shape);
  chain(kernel);
}

void StageWriter::collective(CollectiveType type, GroupKindId group, const char* dimension,
                             std::int64_t bytes, std::uint32_t element_bytes) {
  if (!group.is_valid()) return;
  Op call = op(OpKind::collective, dimension, std::string(dimension) + " " + collective_name(type));
  call.collective = type;
  call.group = group;
  call.dimension = job_.dimension(dimension);
  call.bytes = bytes;
  call.element_bytes = element_bytes;
  chain(call);
}

void StageWriter::enter_tensor_parallel() {
  if (plan_.sequence_parallel)
    collective(CollectiveType::all_gather, groups_.tp, "tp", 2 * tokens_ * hidden_);
}

void StageWriter::leave_tensor_parallel() {
  collective(plan_.sequence_parallel ? CollectiveType::reduce_scatter : CollectiveType::all_reduce,
             groups_.tp, "tp", 2 * tokens_ * hidden_);
}

void StageWriter::enter_backward() {
  enter_tensor_parallel();
}

void StageWriter::leave_backward() {
  leave_tensor_parallel();
}

void StageWriter::norm(bool is_backward) {
  memory(is_backward ? "norm backward" : "norm", (is_backward ? 3 : 2) * 2 * local_ * hidden_);
}

void StageWriter::residual(bool is_backward) {
  memory(is_backward ? "residual backward" : "residual", (is_backward ? 2 : 3) * 2 * local_ * hidden_);
}

void StageWriter::attention_forward() {
  norm(false);
  enter_tensor_parallel();
  gemm("qkv", tokens_, q_ + 2 * kv_, hidden_);
  if (model_.positions == 0) memory("rotary", 2 * 2 * tokens_ * (q_ + kv_));
  attention_kernel(false);
  gemm("attention out", tokens_, hidden_, q_);
  leave_tensor_parallel();
  residual(false);
}

void StageWriter::attention_backward() {
  residual(true);
  enter_backward();
  gemm("attention out dgrad", tokens_, q_, hidden_);
  gemm("attention out wgrad", q_, hidden_, tokens_);
  attention_kernel(true);
  if (model_.positions == 0) memory("rotary backward", 2 * 2 * tokens_ * (q_ + kv_));
  enter_tensor_parallel();  // the input again, for the weight gradient
  gemm("qkv dgrad", tokens_, hidden_, q_ + 2 * kv_);
  leave_backward();
  gemm("qkv wgrad", hidden_, q_ + 2 * kv_, tokens_);
  norm(true);
}

void StageWriter::feed_forward() {
  std::int64_t inner = model_.ffn_inputs() * ffn_;
  norm(false);
  enter_tensor_parallel();
  gemm("ffn in", tokens_, inner, hidden_);
  memory("activation", 2 * tokens_ * (inner + ffn_));
  gemm("ffn out", tokens_, hidden_, ffn_);
  leave_tensor_parallel();
  residual(false);
}

void StageWriter::feed_forward_backward() {
  std::int64_t inner = model_.ffn_inputs() * ffn_;
  residual(true);
  enter_backward();
  gemm("ffn out dgrad", tokens_, ffn_, hidden_);
  gemm("ffn out wgrad", ffn_, hidden_, tokens_);
  memory("activation backward", 2 * tokens_ * (2 * inner + ffn_));
  enter_tensor_parallel();
  gemm("ffn in dgrad", tokens_, hidden_, inner);
  leave_backward();
  gemm("ffn in wgrad", hidden_, inner, tokens_);
  norm(true);
}

/// Dispatch, or combine; in the backward pass each one's transpose. Only a forward pass's dispatch comes as a
/// surprise: the others send what it sent, or send it back.
void StageWriter::exchange(bool is_dispatch, bool is_known) {
  const std::int64_t bytes = 2 * local_ * model_.active_experts * hidden_;
  if (!groups_.ep.is_valid()) return;
  Op call = op(OpKind::collective, "ep", std::string("ep ") + collective_name(CollectiveType::all_to_all));
  call.collective = CollectiveType::all_to_all;
  call.group = groups_.ep;
  call.dimension = job_.dimension("ep");
  call.bytes = bytes;
  call.element_bytes = 2;
  call.split = is_dispatch ? splits_.dispatch : splits_.combine;
  if (!is_dispatch)
    call.bytes = static_cast<std::int64_t>(static_cast<double>(bytes / 2) * splits_.combine_bytes) * 2;
  if (is_known) call.root = known_before;
  chain(call);
}

void StageWriter::experts_forward() {
  std::int64_t k = model_.active_experts, rows = local_ * k * tp_, inner = model_.ffn_inputs() * ffn_;
  std::int64_t experts = model_.experts / plan_.ep, each = (rows + experts - 1) / experts;
  norm(false);
  gemm("router", local_, model_.experts, hidden_);
  memory("permute", 2 * local_ * hidden_ * (1 + k));
  exchange(true, forward_is_known_);
  collective(CollectiveType::all_gather, groups_.tp, "tp", 2 * rows * hidden_);
  gemm("experts in", each, inner, hidden_, experts);
  memory("activation", 2 * rows * (inner + ffn_));
  gemm("experts out", each, hidden_, ffn_, experts);
  collective(CollectiveType::reduce_scatter, groups_.tp, "tp", 2 * rows * hidden_);
  exchange(false, true);
  memory("unpermute", 2 * local_ * hidden_ * (1 + k));
  residual(false);
}

void StageWriter::experts_backward() {
  std::int64_t k = model_.active_experts, rows = local_ * k * tp_, inner = model_.ffn_inputs() * ffn_;
  std::int64_t experts = model_.experts / plan_.ep, each = (rows + experts - 1) / experts;
  residual(true);
  memory("unpermute backward", 2 * local_ * hidden_ * (1 + k));
  exchange(true, true);
  collective(CollectiveType::all_gather, groups_.tp, "tp", 2 * rows * hidden_);
  gemm("experts out dgrad", each, ffn_, hidden_, experts);
  gemm("experts out wgrad", ffn_, hidden_, each, experts);
  memory("activation backward", 2 * rows * (2 * inner + ffn_));
  gemm("experts in dgrad", each, hidden_, inner, experts);
  gemm("experts in wgrad", hidden_, inner, each, experts);
  collective(CollectiveType::reduce_scatter, groups_.tp, "tp", 2 * rows * hidden_);
  exchange(false, true);
  memory("permute backward", 2 * local_ * hidden_ * (1 + k));
  gemm("router dgrad", local_, hidden_, model_.experts);
  gemm("router wgrad", hidden_, model_.experts, local_);
  norm(true);
}

void StageWriter::forward_layer() {
  const std::int64_t layers = plan_.layers_of_stage(model_);
  splits_ = add_gate_splits(plan_.gate, stage_ * layers + forward_++ % layers, job_);
  write_forward_layer(false);
}

void StageWriter::write_forward_layer(bool is_again) {
  forward_is_known_ = is_again;
  attention_forward();
  if (model_.is_moe())
    experts_forward();
  else
    feed_forward();
}

void StageWriter::backward_layer() {
  const std::int64_t layers = plan_.layers_of_stage(model_);
  splits_ = add_gate_splits(plan_.gate, stage_ * layers + layers - 1 - backward_++ % layers, job_);
  if (plan_.recompute == Recompute::full) write_forward_layer(true);
  if (model_.is_moe())
    experts_backward();
  else
    feed_forward_backward();
  attention_backward();
}

void StageWriter::embed() {
  memory("embedding", 2 * 2 * tokens_ * hidden_);
  leave_tensor_parallel();
}

void StageWriter::embed_backward() {
  enter_backward();
  memory("embedding backward", 2 * 2 * tokens_ * hidden_);
}

void StageWriter::head() {
  std::int64_t vocabulary = padded_vocabulary(model_, plan_) / tp_;
  norm(false);
  enter_tensor_parallel();
  gemm("logits", tokens_, vocabulary, hidden_);
  memory("cross entropy", 3 * 4 * tokens_ * vocabulary);
  // The largest logit, the target's logit and the sum of exponentials of every token.
  for (int i = 0; i < 3; ++i) collective(CollectiveType::all_reduce, groups_.tp, "tp", 4 * tokens_, 4);
}

void StageWriter::head_backward() {
  std::int64_t vocabulary = padded_vocabulary(model_, plan_) / tp_;
  memory("cross entropy backward", 2 * 4 * tokens_ * vocabulary);
  enter_tensor_parallel();
  gemm("logits dgrad", tokens_, hidden_, vocabulary);
  leave_backward();
  gemm("logits wgrad", hidden_, vocabulary, tokens_);
  norm(true);
}

void StageWriter::reduce_gradients(std::int64_t dense, std::int64_t expert, bool is_aside) {
  CollectiveType type =
      plan_.distributed_optimizer ? CollectiveType::reduce_scatter : CollectiveType::all_reduce;
  std::vector<std::uint32_t> main = waits_;
  auto element = static_cast<std::int64_t>(bytes_of(plan_.gradients));
  auto reduce = [&](GroupKindId group, std::int64_t parameters, std::int64_t members) {
    if (!group.is_valid() || parameters == 0) return;
    collective(type, group, "dp", padded_to(parameters, members) * element,
               static_cast<std::uint32_t>(element));
    if (is_aside) aside_.push_back(waits_[0]);
  };
  reduce(groups_.dp, dense, plan_.dp);
  reduce(groups_.expert_dp, expert, plan_.expert_dp());
  if (is_aside) waits_ = main;
}

void StageWriter::reduce_tied_embedding() {
  std::int64_t elements = padded_vocabulary(model_, plan_) / tp_ * hidden_;
  auto element = bytes_of(plan_.gradients);
  collective(CollectiveType::all_reduce, groups_.embedding, "dp", elements * element, element);
}

void StageWriter::optimizer_step() {
  waits_.insert(waits_.end(), aside_.begin(), aside_.end());
  aside_.clear();
  StageParameters p = stage_parameters(model_, plan_, stage_);
  bool is_split = plan_.distributed_optimizer;
  std::int64_t dense = padded_to(p.dense(), plan_.dp), expert = padded_to(p.expert(), plan_.expert_dp());
  std::int64_t mine = is_split ? dense / plan_.dp + expert / plan_.expert_dp() : p.dense() + p.expert();
  // Adam: gradient, FP32 copy and two moments read; copy, moments and 2-byte parameters written.
  memory("optimizer", mine * (bytes_of(plan_.gradients) + 3 * 4 + 3 * 4 + 2));
  if (is_split) {
    collective(CollectiveType::all_gather, groups_.dp, "dp", 2 * dense);
    if (expert > 0) collective(CollectiveType::all_gather, groups_.expert_dp, "dp", 2 * expert);
  }
  memory("zero gradients", (p.dense() + p.expert()) * bytes_of(plan_.gradients));
}

void StageWriter::receive(std::uint32_t from_stage, bool is_forward) {
  Op call = op(OpKind::recv, is_forward ? "pp recv forward" : "pp recv backward", "pp recv");
  call.group = groups_.pp;
  call.dimension = job_.dimension("pp");
  call.peer = static_cast<std::int32_t>(from_stage);
  call.bytes = 2 * local_ * hidden_;
  call.root = lane(is_forward);
  chain(call);
}

void StageWriter::send(std::uint32_t to_stage, bool is_forward) {
  Op call = op(OpKind::send, is_forward ? "pp send forward" : "pp send backward", "pp send");
  call.group = groups_.pp;
  call.dimension = job_.dimension("pp");
  call.peer = static_cast<std::int32_t>(to_stage);
  call.bytes = 2 * local_ * hidden_;
  call.root = lane(is_forward);
  append(program_, call, waits_);
}

}  // namespace lightrail

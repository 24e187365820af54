#include "workloads/generate/training/stage_writer.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/job/operation_names.hpp"

namespace lightrail {

StageWriter::StageWriter(const Transformer& model, const TrainingPlan& plan, const TrainingGroups& groups,
                         std::uint32_t stage, JobBuilder& job, GateHistory& history)
    : model_(model),
      plan_(plan),
      groups_(groups),
      stage_(stage),
      job_(job),
      dtype_(plan.dtype),
      history_(history),
      tokens_(plan.tokens()),
      local_(plan.local_tokens()),
      hidden_(model.hidden),
      tp_(plan.tp),
      q_(model.attention_width() / plan.tp),
      kv_(std::max<std::int64_t>(1, model.kv() / plan.tp) * model.head_size()),
      ffn_(model.dense_width() / plan.tp),
      shared_ffn_(model.shared_width() / plan.tp),
      expert_ffn_(model.ffn / plan.expert_tp()) {
  program_.role = "stage " + std::to_string(stage);
  program_.streams = {"compute"};
}

std::uint32_t StageWriter::chain(Op next) {
  count_host_work(next);
  std::erase_if(waits_, [&](std::uint32_t i) { return program_.ops[i].stream == next.stream; });
  std::uint32_t index = append(program_, next, waits_);
  waits_ = {index};
  return index;
}

std::uint32_t StageWriter::marker(const std::string& name) {
  return chain(op(OpKind::marker, "compute", name));
}

std::uint32_t StageWriter::beside(Op next, std::vector<std::uint32_t> after) {
  count_host_work(next);
  std::erase_if(after, [&](std::uint32_t i) { return program_.ops[i].stream == next.stream; });
  return append(program_, next, after);
}

Op StageWriter::compute_op(const std::string& name, const KernelShape& shape, std::uint16_t load) {
  Op kernel = op(OpKind::compute, "compute", name);
  kernel.shape = job_.shape(shape);
  kernel.split = load;
  if (load != 0) kernel.group = groups_.ep;
  return kernel;
}

KernelShape StageWriter::gemm_shape(std::int64_t m, std::int64_t n, std::int64_t k,
                                    std::int64_t batch) const {
  KernelShape shape;
  shape.kind = KernelKind::gemm;
  shape.dtype = dtype_;
  if (dtype_ == DataType::fp8 && plan_.is_rowwise()) shape.scaling = Scaling::rowwise;
  shape.m = m, shape.n = n, shape.k = k, shape.batch = batch;
  return shape;
}

Op StageWriter::gemm_op(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
                        std::int64_t batch) {
  return compute_op(name, gemm_shape(m, n, k, batch), load_);
}

void StageWriter::gemm(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
                       std::int64_t batch) {
  chain(gemm_op(name, m, n, k, batch));
}

void StageWriter::memory(const std::string& name, std::int64_t bytes, std::int64_t kernels) {
  KernelShape shape;
  shape.kind = KernelKind::memory_bound;
  shape.bytes = bytes;
  shape.batch = kernels;
  chain(compute_op(name, shape, load_));
}

Op StageWriter::collective_op(CollectiveType type, GroupKindId group, const char* dimension,
                              std::int64_t bytes, std::uint32_t element_bytes) {
  Op call = op(OpKind::collective, dimension, std::string(dimension) + " " + collective_name(type));
  call.collective = type;
  call.group = group;
  call.dimension = job_.dimension(dimension);
  call.bytes = bytes;
  call.element_bytes = static_cast<std::uint16_t>(element_bytes);
  return call;
}

void StageWriter::collective(CollectiveType type, GroupKindId group, const char* dimension,
                             std::int64_t bytes, std::uint32_t element_bytes) {
  if (group.is_valid()) chain(collective_op(type, group, dimension, bytes, element_bytes));
}

void StageWriter::enter_tensor_parallel(std::int64_t width) {
  if (plan_.sequence_parallel)
    collective(CollectiveType::all_gather, groups_.tp, "tp", operand_bytes(tokens_, width));
}

void StageWriter::leave_tensor_parallel(std::int64_t width) {
  collective(plan_.sequence_parallel ? CollectiveType::reduce_scatter : CollectiveType::all_reduce,
             groups_.tp, "tp", 2 * tokens_ * width);
}

void StageWriter::norm(bool is_backward) {
  const std::int64_t pass = 2 * local_ * hidden_;
  memory(is_backward ? "norm backward" : "norm", (is_backward ? 3 : 2) * pass);
  if (is_backward && is_separate()) weight_memory("norm weight gradient", 2 * pass);
}

void StageWriter::residual(bool is_backward) {
  // Dropout's mask is a byte an element.
  const std::int64_t bytes = (is_backward ? 4 : 6) + (plan_.dropout ? 1 : 0);
  memory(is_backward ? "residual backward" : "residual", bytes * local_ * hidden_);
}

void StageWriter::bias_gradient(std::int64_t width) {
  if (model_.biases) weight_memory("bias gradient", 2 * tokens_ * width);
}

void StageWriter::set_layer(std::int64_t layer, std::int64_t micro_batch) {
  layer_ = layer;
  is_moe_layer_ = model_.is_moe_layer(layer);
  is_windowed_ = model_.is_windowed(layer);
  splits_ = {};
  if (!is_moe_layer_) return;
  splits_ = add_gate_splits(plan_.gate, layer, micro_batch, plan_.max_share(model_), job_);
}

void StageWriter::forward_layer(std::int64_t layer, std::int64_t micro_batch) {
  set_layer(layer, micro_batch);
  expected_ = std::exchange(history_.dispatched[layer], {splits_.dispatch, micro_batch}).split;
  if (plan_.learns_gate) learn_gate(layer, micro_batch);
  write_forward_layer(false);
}

/// What transitions learned from the micro-batches before make of where the layer before has just sent its
/// tokens. A chunk's first layer has none before it, or one that other micro-batches go through (DualPipe's
/// middle stages): what the micro-batch before had stands.
void StageWriter::learn_gate(std::int64_t layer, std::int64_t micro_batch) {
  const auto previous = history_.dispatched.find(layer - 1);
  if (previous == history_.dispatched.end() || previous->second.micro_batch != micro_batch) return;
  if (previous->second.split == 0 || splits_.dispatch == 0) return;
  const auto& splits = job_.job().programs.splits;
  const SplitMatrix before = splits[previous->second.split], now = splits[splits_.dispatch];
  LoadPredictor& predictor = history_.predictors[layer];
  if (predictor.has_learned()) expected_ = job_.split({before.size, predictor.guess(before.share)});
  predictor.learn(before.size, before.share, now.share);
}

void StageWriter::write_forward_layer(bool is_again) {
  forward_is_known_ = is_again;
  keeps_all_ = is_again || plan_.recompute < Recompute::light;
  begin_graphs();
  scope_ = graph_scope::attn;
  if (model_.is_parallel) {
    parallel_forward();
  } else {
    if (model_.is_mamba_layer(layer_)) mamba_forward();
    if (model_.has_attention(layer_)) attention_forward();
    scope_ = is_moe_layer_ ? graph_scope::moe_router : graph_scope::mlp;
    if (is_moe_layer_) experts_forward();
    if (model_.has_feed_forward(layer_)) feed_forward();
  }
  scope_ = 0;
  keeps_all_ = true;
}

void StageWriter::write_light_again() {
  scope_ = graph_scope::attn;
  norm(false);
  const bool multiplies_input = model_.has_latent_attention() && model_.q_latent == 0;
  if (!multiplies_input) cast_again(From::kernel, local_, hidden_);
  if (model_.has_latent_attention()) latents_forward(cast_rows());
  scope_ = 0;
  if (!model_.is_parallel) {
    norm(false);
    cast_again(From::kernel, local_, hidden_);
  }
  load_ = plan_.has_uneven_experts ? splits_.load : 0;
  if (is_moe_layer_) {
    activation(expert_rows(), expert_ffn_);
    if (plan_.dispatch != DataType::fp8)
      cast_again(From::experts, expert_rows(), expert_ffn_, local_experts());
  }
  load_ = 0;
  const std::int64_t width = is_moe_layer_ ? shared_ffn_ : ffn_;
  if (width > 0) {
    activation(tokens_, width);
    cast_again(From::kernel, tokens_, width);
  }
}

void StageWriter::write_modules_again() {
  using namespace recompute_module;
  scope_ = graph_scope::attn;
  if (plan_.recomputes(layernorm)) norm(false);
  if (plan_.recomputes(mla_up_proj)) latents_forward(cast_rows());
  scope_ = 0;
  if (plan_.recomputes(layernorm) && !model_.is_parallel) norm(false);
  if (!is_moe_layer_) {
    scope_ = graph_scope::mlp;
    if (plan_.recomputes(mlp)) inner_forward("ffn", ffn_);
    scope_ = 0;
  } else if (plan_.recomputes(moe_act)) {
    load_ = plan_.has_uneven_experts ? splits_.load : 0;
    activation(expert_rows(), expert_ffn_);
    cast_again(From::experts, expert_rows(), expert_ffn_, local_experts());
    load_ = 0;
  }
}

void StageWriter::write_backward_layer() {
  scope_ = graph_scope::attn;
  if (model_.is_parallel) return parallel_backward();
  scope_ = is_moe_layer_ ? 0 : graph_scope::mlp;
  if (is_moe_layer_) experts_backward();
  if (model_.has_feed_forward(layer_)) feed_forward_backward();
  scope_ = graph_scope::attn;
  if (model_.has_attention(layer_)) attention_backward();
  if (model_.is_mamba_layer(layer_)) mamba_backward();
}

void StageWriter::backward_layer(std::int64_t layer, std::int64_t micro_batch, bool is_split) {
  set_layer(layer, micro_batch);
  if (plan_.recompute == Recompute::full) write_forward_layer(true);
  if (plan_.recompute == Recompute::light) write_light_again();
  if (plan_.recompute == Recompute::modules) write_modules_again();
  if (is_split) deferred_.emplace_back();
  puts_off_ = is_split;
  begin_graphs();
  write_backward_layer();
  scope_ = 0;
  puts_off_ = false;
}

void StageWriter::end_evaluation(bool has_loss) {
  if (has_loss) collective(CollectiveType::all_reduce, groups_.dp, "dp", 4, 4);
  for (std::size_t i = evaluation_; i < program_.ops.size(); ++i) {
    program_.ops[i].every = static_cast<std::uint16_t>(plan_.eval_interval);
    program_.ops[i].turn = static_cast<std::uint16_t>(plan_.eval_interval - 1);
  }
}

Op StageWriter::stage_message(OpKind kind, std::uint32_t peer, bool is_forward, std::uint32_t chunk) {
  const char* name = kind == OpKind::recv ? "pp recv" : "pp send";
  std::string stream = std::string(name) + (is_forward ? " forward" : " backward");
  if (plan_.is_bidirectional() && chunk > 0) stream += " up";
  Op call = op(kind, stream.c_str(), name);
  call.group = groups_.pp;
  call.dimension = job_.dimension("pp");
  call.peer = static_cast<std::int32_t>(peer);
  call.bytes = plan_.stage_message(model_);
  call.root = lane(is_forward);
  return call;
}

void StageWriter::receive(std::uint32_t from_stage, bool is_forward, std::uint32_t chunk) {
  chain(stage_message(OpKind::recv, from_stage, is_forward, chunk));
  if (plan_.scatter_gather) collective(CollectiveType::all_gather, groups_.tp, "tp", 2 * tokens_ * hidden_);
}

void StageWriter::send(std::uint32_t to_stage, bool is_forward, std::uint32_t chunk) {
  Op message = stage_message(OpKind::send, to_stage, is_forward, chunk);
  count_host_work(message);
  append(program_, message, waits_);
}

}  // namespace lightrail

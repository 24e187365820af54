#include "workloads/generate/inference/inference_writer.hpp"

#include <algorithm>
#include <tuple>

#include "workloads/job/operation_names.hpp"

namespace lightrail {
namespace {

bool are_equal(const KernelShape& a, const KernelShape& b) {
  const auto key = [](const KernelShape& s) {
    return std::make_tuple(s.kind, s.dtype, s.batch, s.n, s.k, s.heads, s.kv_heads, s.head_dim, s.bytes);
  };
  return key(a) == key(b);
}

}  // namespace

InferenceWriter::InferenceWriter(const Transformer& model, const InferenceSpec& spec, const ServingPool& pool,
                                 const InferenceGroups& groups, std::uint32_t stage, ServingPlan& plan,
                                 JobBuilder& job)
    : model_(model),
      spec_(spec),
      pool_(pool),
      groups_(groups),
      stage_(stage),
      plan_(plan),
      job_(job),
      dtype_(spec.dtype),
      hidden_(model.hidden),
      tp_(pool.tp),
      q_(model.attention_width() / pool.tp),
      kv_(std::max<std::int64_t>(1, model.kv() / pool.tp) * model.head_size()) {
  program_.streams = {"compute"};
  rules_.tp = pool.tp;
  rules_.active_experts = static_cast<std::uint32_t>(std::max<std::int64_t>(1, model.active_experts));
  rules_.has_sliced_rows = pool.ep > 1;
}

Program InferenceWriter::write(std::string role) {
  program_.role = std::move(role);
  begin_stage();
  for (std::int64_t l = 0; l < model_.layers / pool_.pp; ++l) layer(stage_ * (model_.layers / pool_.pp) + l);
  end_stage();
  return std::move(program_);
}

void InferenceWriter::chain(Op next, BatchUnit unit) {
  std::erase_if(waits_, [&](std::uint32_t i) { return program_.ops[i].stream == next.stream; });
  waits_ = {append(program_, next, waits_)};
  rules_.unit_of_op.push_back(unit);
}

/// Equal shapes that are counted in different units are two.
std::uint32_t InferenceWriter::shape(const KernelShape& shape, BatchUnit unit) {
  auto& all = job_.job().programs.shapes;
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (plan_.unit_of_shape[i] == unit && are_equal(all[i], shape)) return i;
  all.push_back(shape);
  plan_.unit_of_shape.push_back(unit);
  return static_cast<std::uint32_t>(all.size() - 1);
}

void InferenceWriter::kernel(const std::string& name, const KernelShape& kernel_shape, BatchUnit unit) {
  Op call = op(OpKind::compute, "compute", name);
  call.shape = shape(kernel_shape, unit);
  chain(call, BatchUnit::fixed);
}

void InferenceWriter::gemm(const std::string& name, BatchUnit unit, std::int64_t n, std::int64_t k,
                           std::int64_t batch) {
  KernelShape s;
  s.kind = KernelKind::gemm;
  s.dtype = dtype_;
  s.m = 1, s.n = n, s.k = k, s.batch = batch;
  kernel(name, s, unit);
}

void InferenceWriter::memory(const std::string& name, BatchUnit unit, std::int64_t bytes) {
  KernelShape s;
  s.kind = KernelKind::memory_bound;
  s.bytes = bytes;
  kernel(name, s, unit);
}

void InferenceWriter::collective(CollectiveType type, GroupKindId group, const char* dimension,
                                 BatchUnit unit, std::int64_t bytes) {
  if (!group.is_valid()) return;
  Op call = op(OpKind::collective, dimension, std::string(dimension) + " " + collective_name(type));
  call.collective = type;
  call.group = group;
  call.dimension = job_.dimension(dimension);
  call.bytes = bytes;
  if (type == CollectiveType::all_to_all) call.peer = model_.expert_counts().packed();
  chain(call, unit);
}

void InferenceWriter::attention_kernel(bool is_prompt) {
  KernelShape s;
  s.kind = KernelKind::attention;
  s.m = s.n = 1;
  s.heads = model_.heads / tp_;
  s.kv_heads = std::max<std::int64_t>(1, model_.kv() / tp_);
  s.head_dim = model_.query_size();
  if (model_.has_latent_attention()) s.k = model_.value_size();
  if (!is_prompt) s.dtype = spec_.kv_dtype;
  if (!is_prompt && model_.latent > 0) {
    // Absorbed: queries as long as the latent, which all heads read once, and sums of its part without
    // positions.
    s.kv_heads = 1;
    s.head_dim = model_.latent;
    s.k = model_.kv_latent();
    s.bytes = model_.latent * bytes_of(spec_.kv_dtype);
  }
  kernel(is_prompt ? "attention of prompts" : "attention", s,
         is_prompt ? BatchUnit::prefill : BatchUnit::decode);
}

/// Adds the residual; what products take comes out in their type.
void InferenceWriter::norm(BatchUnit unit) {
  memory("norm", unit, (6 + bytes_of(dtype_)) * hidden_);
}

void InferenceWriter::attention() {
  norm(BatchUnit::tokens);
  gemm("qkv", BatchUnit::tokens, q_ + 2 * kv_, hidden_);
  // One kernel: queries and keys read and written, values read, keys and values written to the cache.
  memory("rotate and cache", BatchUnit::tokens,
         4 * (q_ + kv_) + 2 * kv_ + 2 * bytes_of(spec_.kv_dtype) * kv_);
  attention_kernel(true);
  attention_kernel(false);
  if (dtype_ == DataType::fp8) memory("cast", BatchUnit::tokens, 3 * q_);
  gemm("attention out", BatchUnit::tokens, hidden_, q_);
}

void InferenceWriter::latent_attention() {
  const std::int64_t heads = model_.heads / tp_, queries = heads * model_.query_size(),
                     values = heads * model_.value_size();
  norm(BatchUnit::tokens);
  if (model_.q_latent > 0) {
    gemm("q down", BatchUnit::tokens, model_.q_latent, hidden_);
    memory("q norm", BatchUnit::tokens, 4 * model_.q_latent);
    gemm("q up", BatchUnit::tokens, queries, model_.q_latent);
  } else {
    gemm("q", BatchUnit::tokens, queries, hidden_);
  }
  gemm("kv down", BatchUnit::tokens, model_.latent, hidden_);
  memory("kv norm", BatchUnit::tokens, 4 * model_.kv_latent());
  memory("rotate and cache", BatchUnit::tokens,
         4 * (heads + 1) * model_.rope_dim + (2 + bytes_of(spec_.kv_dtype)) * model_.latent);
  gemm("kv up", BatchUnit::prefill, heads * model_.head_size() + values, model_.kv_latent());
  attention_kernel(true);
  gemm("queries to latent", BatchUnit::decode, model_.kv_latent(), model_.head_size(), heads);
  attention_kernel(false);
  gemm("values from latent", BatchUnit::decode, model_.value_size(), model_.kv_latent(), heads);
  if (dtype_ == DataType::fp8) memory("cast", BatchUnit::tokens, 3 * values);
  gemm("attention out", BatchUnit::tokens, hidden_, values);
}

void InferenceWriter::layer(std::int64_t layer) {
  if (model_.has_latent_attention())
    latent_attention();
  else
    attention();
  const bool has_experts = model_.is_moe_layer(layer);
  if (has_experts && pool_.ep > 1) return exchange_experts();
  collective(CollectiveType::all_reduce, groups_.tp, "tp", BatchUnit::tokens, 2 * hidden_);
  norm(BatchUnit::tokens);
  if (has_experts)
    experts();
  else
    feed_forward("ffn", BatchUnit::tokens, model_.dense_width() / tp_);
  collective(CollectiveType::all_reduce, groups_.tp, "tp", BatchUnit::tokens, 2 * hidden_);
}

void InferenceWriter::feed_forward(const char* name, BatchUnit unit, std::int64_t ffn) {
  const std::int64_t inner = model_.ffn_inputs() * ffn;
  gemm(name + std::string(" in"), unit, inner, hidden_);
  memory("activation", unit, 2 * inner + bytes_of(dtype_) * ffn);
  gemm(name + std::string(" out"), unit, hidden_, ffn);
}

void InferenceWriter::experts() {
  const bool is_spread = pool_.ep > 1;
  const BatchUnit unit = is_spread ? BatchUnit::slices : BatchUnit::tokens;
  const std::int64_t ffn = model_.ffn / (is_spread ? 1 : tp_), inner = model_.ffn_inputs() * ffn,
                     k = model_.active_experts, experts = model_.experts / pool_.ep,
                     sent = k * hidden_ * bytes_of(spec_.dtype);
  dtype_ = DataType::bf16;
  gemm("router", unit, model_.experts, hidden_);
  dtype_ = spec_.dtype;
  if (model_.shared_experts > 0)
    feed_forward("shared experts", unit, model_.shared_width() / (is_spread ? 1 : tp_));
  memory("permute", unit, 2 * hidden_ * (1 + k));
  collective(CollectiveType::all_to_all, groups_.ep, "ep", unit, sent);
  gemm("experts in", BatchUnit::rows, inner, hidden_, experts);
  memory("activation", BatchUnit::rows, 2 * inner + bytes_of(dtype_) * ffn);
  gemm("experts out", BatchUnit::rows, hidden_, ffn, experts);
  collective(CollectiveType::all_to_all, groups_.ep, "ep", unit, 2 * k * hidden_);
  memory("unpermute", unit, 2 * hidden_ * (1 + k));
}

void InferenceWriter::exchange_experts() {
  collective(CollectiveType::reduce_scatter, groups_.tp, "tp", BatchUnit::slices, 2 * hidden_ * tp_);
  norm(BatchUnit::slices);
  experts();
  collective(CollectiveType::all_gather, groups_.tp, "tp", BatchUnit::slices, 2 * hidden_ * tp_);
}

void InferenceWriter::message(OpKind kind, std::uint32_t stage) {
  Op call =
      op(kind, kind == OpKind::recv ? "pp recv" : "pp send", kind == OpKind::recv ? "pp recv" : "pp send");
  call.group = groups_.pp;
  call.dimension = job_.dimension("pp");
  call.peer = static_cast<std::int32_t>(stage);
  call.bytes = 2 * hidden_;
  chain(call, BatchUnit::slices);
}

void InferenceWriter::begin_stage() {
  if (stage_ == 0) {
    memory("embedding", BatchUnit::tokens, 4 * hidden_);
    return collective(CollectiveType::all_reduce, groups_.tp, "tp", BatchUnit::tokens, 2 * hidden_);
  }
  message(OpKind::recv, stage_ - 1);
  collective(CollectiveType::all_gather, groups_.tp, "tp", BatchUnit::slices, 2 * hidden_ * tp_);
}

void InferenceWriter::end_stage() {
  if (stage_ + 1 < pool_.pp) return message(OpKind::send, stage_ + 1);
  const std::int64_t vocabulary = padded_vocabulary(model_, split_of(pool_));
  dtype_ = DataType::bf16;
  norm(BatchUnit::tokens);
  gemm("logits", BatchUnit::logits, vocabulary / tp_, hidden_);
  collective(CollectiveType::all_gather, groups_.tp, "tp", BatchUnit::logits, 2 * vocabulary);
  // Read in two bytes, written and read in four.
  memory("sample", BatchUnit::logits, 10 * vocabulary);
}

}  // namespace lightrail

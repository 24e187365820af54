#include <algorithm>
#include <cstdint>
#include <string>

#include "workloads/generate/training/stage_writer.hpp"

/// What a CPU does for the operations of a stage. Counts are of Megatron Core and Transformer Engine where
/// nothing else is said.
namespace lightrail {
namespace {

bool ends_with(const std::string& text, const char* end) {
  const std::string tail(end);
  return text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

bool begins_with(const std::string& text, const char* begin) {
  return text.rfind(begin, 0) == 0;
}

}  // namespace

HostWork StageWriter::eager_work(const Op& op) const {
  const std::string& name = job_.job().names[op.name];
  HostWork one{.launches = 1, .calls = 1};
  switch (op.kind) {
    case OpKind::compute:
      break;
    case OpKind::collective:
      // DeepEP: counts are exchanged by kernels of their own, forward two. HybridEP has its maps.
      if (op.collective == CollectiveType::all_to_all && plan_.token_buffers == TokenBuffers::arrival)
        one.launches = op.root == known_before ? 2 : 3;
      return one;
    case OpKind::send:
    case OpKind::recv:
    case OpKind::host_copy:
      return one;
    case OpKind::host:
    case OpKind::storage_read:
    case OpKind::storage_write:
    case OpKind::marker:
      return {};
  }
  const KernelShape& shape = job_.job().programs.shapes[op.shape];
  const auto batch = static_cast<std::uint32_t>(std::max<std::int64_t>(1, shape.batch));
  const bool has_fused_casts = plan_.expert_casts == ExpertCasts::fused;
  switch (shape.kind) {
    case KernelKind::gemm:
      if (begins_with(name, "experts ") && plan_.expert_kernels == ExpertKernels::each)
        one.launches = one.experts = batch;
      // Scales in the layout of the product; gradients of weights take both operands along their rows. These
      // kernels move next to nothing.
      if (is_quantised(shape.dtype)) {
        one.casts = (ends_with(name, " wgrad") ? 3 : 1) * (has_fused_casts ? 1 : one.launches);
        one.launches += one.casts;
      }
      // Autograd calls no module.
      if (!ends_with(name, " dgrad") && !ends_with(name, " wgrad")) one.modules = 1;
      return one;
    case KernelKind::attention:
      // Backward: sums of gradients times outputs, the kernel itself, queries' gradients to two bytes.
      if (shape.backward != 0)
        one.launches = 3;
      else
        one.modules = 1;
      return one;
    case KernelKind::memory_bound:
      one.launches = one.calls = batch;
      if (begins_with(name, "cast") || begins_with(name, "quantize")) {
        if (has_fused_casts) one.calls = 1;
        one.casts = one.calls;
      }
      return one;
  }
  return one;
}

void StageWriter::count_host_work(Op& op) {
  if (!plan_.counts_launches()) return;
  HostWork work = eager_work(op);
  if (work == HostWork{}) return;
  const std::uint32_t graphs = plan_.launch_plan.graphs;
  const bool is_captured = (graphs & scope_) != 0 || (graphs == graph_scope::iteration && is_in_passes_);
  if (is_captured)
    work = {.graphs = is_in_graph_ ? 0u : 1u, .nodes = work.launches};
  else if (reads_back_)
    work.reads_back = 1;
  is_in_graph_ = is_captured;
  reads_back_ = false;
  op.host_work = job_.host_work(work);
}

void StageWriter::small_kernels(const std::string& name, std::int64_t count) {
  if (plan_.counts_launches() && count > 0) memory(name, 0, count);
}

void StageWriter::read_counts() {
  if (!plan_.counts_launches() || !plan_.reads_counts) return;
  reads_back_ = true;
  memory("read counts", 8 * model_.experts);
}

}  // namespace lightrail

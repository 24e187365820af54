#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "workloads/generate/training/interleave.hpp"
#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

void StageWriter::weight_gemm(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
                              std::int64_t batch, bool gathers, bool is_input_cast) {
  if (plan_.is_frozen()) return;
  const bool casts = dtype_ == DataType::fp8 && plan_.is_rowwise();
  if (casts) cast_columns(m, n, k, batch, gathers, is_input_cast);
  gathers = gathers && !casts && plan_.sequence_parallel;  // once, for the first that takes it
  if (puts_off_)
    deferred_.back().push_back({name, gemm_shape(m, n, k, batch), gathers ? m : 0, load_});
  else
    gemm(name, m, n, k, batch);
}

void StageWriter::weight_memory(const std::string& name, std::int64_t bytes, std::int64_t kernels,
                                std::int64_t gathers) {
  if (plan_.is_frozen()) return;
  KernelShape shape;
  shape.kind = KernelKind::memory_bound;
  shape.bytes = bytes;
  shape.batch = kernels;
  if (puts_off_)
    deferred_.back().push_back({name, shape, plan_.sequence_parallel ? gathers : 0, load_});
  else
    chain(compute_op(name, shape, load_));
}

void StageWriter::weight_gradients() {
  const std::vector<DeferredKernel> kernels = std::move(deferred_.front());
  deferred_.pop_front();
  const std::vector<std::uint32_t> start = waits_;
  std::deque<std::uint32_t> inputs;
  auto gather = [&](const DeferredKernel& kernel) {
    const std::int64_t elements = tokens_ * kernel.gathers;
    const std::int64_t bytes =
        is_quantised(kernel.shape.dtype) ? plan_.operand_bytes(elements) : 2 * elements;
    return collective_op(CollectiveType::all_gather, groups_.tp, "tp", bytes);
  };
  const bool is_beside = is_overlapped(TensorOverlap::backward);
  for (const DeferredKernel& kernel : kernels)
    if (kernel.gathers > 0 && is_beside) inputs.push_back(beside(gather(kernel), start));
  for (const DeferredKernel& kernel : kernels) {
    if (kernel.gathers > 0 && is_beside) {
      wait_for(inputs.front());
      inputs.pop_front();
    } else if (kernel.gathers > 0 && groups_.tp.is_valid()) {
      chain(gather(kernel));
    }
    chain(compute_op(kernel.name, kernel.shape, kernel.load));
  }
}

void StageWriter::begin_together() {
  start_ = waits_;
}

void StageWriter::next_input() {
  first_end_ = std::exchange(waits_, start_);
}

void StageWriter::run_together() {
  waits_.insert(waits_.end(), first_end_.begin(), first_end_.end());
  start_ = waits_;
  together_ = static_cast<std::uint32_t>(program_.ops.size());
}

void StageWriter::next_together() {
  second_ = static_cast<std::uint32_t>(program_.ops.size());
  first_end_ = std::exchange(waits_, start_);
}

void StageWriter::end_together() {
  waits_.insert(waits_.end(), first_end_.begin(), first_end_.end());
  const std::vector<std::uint32_t> moved = interleave(
      program_, together_, second_, plan_.is_bidirectional() ? Turn::communication : Turn::all_to_all);
  auto follow = [&](std::vector<std::uint32_t>& ops) {
    for (std::uint32_t& op : ops)
      if (op >= together_) op = moved[op - together_];
  };
  follow(waits_);
  follow(aside_);
  follow(loads_);
  for (auto& gathering : gathered_) follow(gathering);
}

}  // namespace lightrail

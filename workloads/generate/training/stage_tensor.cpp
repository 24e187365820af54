#include <cstdint>
#include <string>
#include <vector>

#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

void StageWriter::gather_gemm(const std::string& name, std::int64_t n, std::int64_t k) {
  if (!is_overlapped(TensorOverlap::all)) {
    enter_tensor_parallel(k);
    cast_gathered(tokens_, k);
    gemm(name, tokens_, n, k);
    return adapter_forward(name, n, k);
  }
  // The GPU's own rows need no gathering; the others come in tp - 1 parts while products go on.
  const std::int64_t rows = local_, parts = tp_ - 1, piece = rows / parts;
  const std::vector<std::uint32_t> start = waits_;
  cast_gathered(rows, k);
  chain(gemm_op(name, rows, n, k));
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t mine = i + 1 < parts ? piece : rows - (parts - 1) * piece;
    if (mine > 0) {
      wait_for(beside(
          collective_op(CollectiveType::all_gather, groups_.tp, "tp", operand_bytes(mine * tp_, k)), start));
      cast_gathered(mine * parts, k);
    }
    chain(gemm_op(name, rows, n, k));
  }
}

void StageWriter::gemm_scatter(const std::string& name, std::int64_t n, std::int64_t k) {
  if (!is_overlapped(TensorOverlap::all)) {
    gemm(name, tokens_, n, k);
    adapter_forward(name, n, k);
    return leave_tensor_parallel(n);
  }
  std::uint32_t last = 0;
  for (std::int64_t i = 0; i < tp_; ++i) {
    const std::uint32_t product = chain(gemm_op(name, local_, n, k));
    last = beside(collective_op(CollectiveType::reduce_scatter, groups_.tp, "tp", 2 * local_ * n), {product});
  }
  wait_for(last);
}

void StageWriter::gathered_backward(const std::string& name, std::int64_t n, std::int64_t k,
                                    bool is_input_cast) {
  const std::string dgrad = name + " dgrad", wgrad = name + " wgrad";
  if (puts_off_) {
    gemm(dgrad, tokens_, k, n);
    leave_tensor_parallel(k);
    return weight_gemm(wgrad, k, n, tokens_, 1, true, is_input_cast);
  }
  if (!is_overlapped(TensorOverlap::backward)) {
    if (takes_input_back(name)) enter_tensor_parallel(k);  // the input again, for the weight gradient
    gemm(dgrad, tokens_, k, n);
    adapter_backward(name, n, k);
    leave_tensor_parallel(k);
    return weight_gemm(wgrad, k, n, tokens_, 1, false, is_input_cast);
  }
  const std::vector<std::uint32_t> start = waits_;
  const std::int64_t bytes = 2 * tokens_ * k;
  const CollectiveType sum =
      plan_.sequence_parallel ? CollectiveType::reduce_scatter : CollectiveType::all_reduce;
  const bool gathers = plan_.sequence_parallel && takes_input_back(name);
  const std::uint32_t input =
      gathers ? beside(collective_op(CollectiveType::all_gather, groups_.tp, "tp", operand_bytes(tokens_, k)),
                       start)
              : 0;
  std::uint32_t product = chain(gemm_op(dgrad, tokens_, k, n));
  if (is_adapted(name)) {
    // Its gradients need the input, and are a part of what is summed.
    if (gathers) wait_for(input);
    adapter_backward(name, n, k);
    product = waits_[0];
  }
  const std::uint32_t summed = beside(collective_op(sum, groups_.tp, "tp", bytes), {product});
  if (gathers && !is_adapted(name)) wait_for(input);
  weight_gemm(wgrad, k, n, tokens_, 1, false, is_input_cast);
  wait_for(summed);
}

void StageWriter::local_backward(const std::string& name, std::int64_t n, std::int64_t k,
                                 bool is_input_cast) {
  gemm(name + " dgrad", local_, k, n);
  weight_gemm(name + " wgrad", k, n, local_, 1, false, is_input_cast);
}

}  // namespace lightrail

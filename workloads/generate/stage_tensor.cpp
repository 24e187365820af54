#include "workloads/generate/stage_writer.hpp"

namespace lightrail {

void StageWriter::gather_gemm(const std::string& name, std::int64_t n, std::int64_t k) {
  if (!is_overlapped(TensorOverlap::all)) {
    enter_tensor_parallel();
    return gemm(name, tokens_, n, k);
  }
  // The GPU's own rows need no gathering; the others come in tp - 1 parts while products go on.
  const std::int64_t rows = local_, parts = tp_ - 1, piece = rows / parts;
  const std::vector<std::uint32_t> start = waits_;
  chain(gemm_op(name, rows, n, k));
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t mine = i + 1 < parts ? piece : rows - (parts - 1) * piece;
    if (mine > 0)
      wait_for(beside(collective_op(CollectiveType::all_gather, groups_.tp, "tp", 2 * mine * tp_ * hidden_),
                      start));
    chain(gemm_op(name, rows, n, k));
  }
}

void StageWriter::gemm_scatter(const std::string& name, std::int64_t n, std::int64_t k) {
  if (!is_overlapped(TensorOverlap::all)) {
    gemm(name, tokens_, n, k);
    return leave_tensor_parallel();
  }
  std::uint32_t last = 0;
  for (std::int64_t i = 0; i < tp_; ++i) {
    const std::uint32_t product = chain(gemm_op(name, local_, n, k));
    last = beside(collective_op(CollectiveType::reduce_scatter, groups_.tp, "tp", 2 * local_ * hidden_),
                  {product});
  }
  wait_for(last);
}

void StageWriter::gathered_backward(const std::string& name, std::int64_t n, std::int64_t k) {
  const std::string dgrad = name + " dgrad", wgrad = name + " wgrad";
  if (!is_overlapped(TensorOverlap::backward)) {
    enter_tensor_parallel();  // the input again, for the weight gradient
    gemm(dgrad, tokens_, k, n);
    leave_backward();
    return gemm(wgrad, k, n, tokens_);
  }
  const std::uint32_t input =
      beside(collective_op(CollectiveType::all_gather, groups_.tp, "tp", 2 * tokens_ * hidden_), waits_);
  const std::uint32_t product = chain(gemm_op(dgrad, tokens_, k, n));
  const std::uint32_t scattered = beside(
      collective_op(CollectiveType::reduce_scatter, groups_.tp, "tp", 2 * tokens_ * hidden_), {product});
  wait_for(input);
  chain(gemm_op(wgrad, k, n, tokens_));
  wait_for(scattered);
}

}  // namespace lightrail

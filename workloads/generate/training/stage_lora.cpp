#include <cstdint>
#include <string>
#include <utility>

#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

/// Low-rank adapters (Hu et al., LoRA, arXiv 2106.09685): beside a product of n x k weights, which stay as
/// they are, one down to the rank and one up, in BF16; their sum is added to the product's. Over tp the one
/// down is whole where the product is split over its columns, the one up where it is split over its rows:
/// neither needs a collective of its own.
std::uint32_t StageWriter::lora_module_of(const std::string& name) {
  if (name == "qkv") return lora_module::qkv;
  if (name == "attention out") return lora_module::proj;
  if (name == "ffn in") return lora_module::fc1;
  return name == "ffn out" ? lora_module::fc2 : 0;
}

void StageWriter::adapter_forward(const std::string& name, std::int64_t n, std::int64_t k) {
  if (!is_adapted(name)) return;
  const DataType type = std::exchange(dtype_, DataType::bf16);
  gemm(name + " lora down", tokens_, plan_.lora_rank, k);
  gemm(name + " lora up", tokens_, n, plan_.lora_rank);
  dtype_ = type;
  memory("lora sum", 3 * 2 * tokens_ * n);
}

void StageWriter::adapter_backward(const std::string& name, std::int64_t n, std::int64_t k) {
  if (!is_adapted(name)) return;
  const std::int64_t rank = plan_.lora_rank;
  const DataType type = std::exchange(dtype_, DataType::bf16);
  gemm(name + " lora up dgrad", tokens_, rank, n);
  gemm(name + " lora up wgrad", rank, n, tokens_);
  gemm(name + " lora down dgrad", tokens_, k, rank);
  gemm(name + " lora down wgrad", k, rank, tokens_);
  dtype_ = type;
  memory("lora sum", 3 * 2 * tokens_ * k);
}

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/generate/training/training_plan.hpp"
#include "workloads/generate/training/transformer.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {

/// <workload kind="inference" .../>: how a model is served.
struct InferenceSpec {
  std::uint32_t batch_tokens = 8192, sequences = 256, kv_block = 16;
  bool is_chunked = true;
  DataType dtype = DataType::bf16;     ///< of the matrix products and their weights
  DataType kv_dtype = DataType::bf16;  ///< of cached keys and values
  double memory_share = 0.9;           ///< of a GPU's memory that weights, activations and cache may take
  std::int64_t kv_tokens = 0;          ///< room of a replica at most; 0: what its memory has
};

[[nodiscard]] Describe<InferenceSpec> inference_parameters();
[[nodiscard]] std::vector<ParameterDoc> pool_documentation();     ///< <pool>
[[nodiscard]] std::vector<ParameterDoc> replica_documentation();  ///< what the workload itself may have of it

/// Reads the <pool> children, or one pool from the workload itself, and places them on `gpus` GPUs one after
/// the other.
[[nodiscard]] std::vector<ServingPool> read_pools(const Element& workload, const Transformer& model,
                                                  std::uint32_t gpus, ErrorList& errors);

/// The parameters of a pool as the training plan that splits a model alike.
[[nodiscard]] TrainingPlan split_of(const ServingPool& pool);

/// What one GPU of a stage keeps [B]. Activations: of one layer and the largest batch, and FP32 logits of all
/// sequences. Leaves out: the CUDA context, NCCL's buffers, graphs; `memory-share` leaves room for those.
struct InferenceMemory {
  std::int64_t weights = 0, activations = 0, kv_token = 0;  ///< kv_token: of one token
  std::int64_t usable = 0;                                  ///< memory-share of the GPU's memory
  /// Tokens whose keys and values fit, in whole blocks.
  [[nodiscard]] std::int64_t kv_tokens(std::uint32_t block) const;
};
[[nodiscard]] InferenceMemory inference_memory(const Transformer& model, const InferenceSpec& spec,
                                               const ServingPool& pool, std::uint32_t stage,
                                               std::int64_t gpu_memory_bytes);
/// "weights 12.34 GiB, ...".
[[nodiscard]] std::string memory_table(const InferenceMemory& memory, std::uint32_t block);

}  // namespace lightrail

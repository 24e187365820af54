#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workloads/generate/inference/inference_plan.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

/// The groups of a pool; invalid where the group would have one member.
struct InferenceGroups {
  GroupKindId tp{}, ep{}, pp{};
};

/// Writes the program of one stage of a pool: what a batch of one unit executes, kernels and communications
/// one after the other, and what unit each of them is counted in.
///
/// Attention: fused norm, product, rotation and writing of the cache, prompts, next tokens, product,
/// all-reduce. Feed-forward: the same round products and activation. Experts split over tp likewise; experts
/// of their own GPUs: reduce-scatter over tp, dispatch, products, combine, all-gather. Latent attention: keys
/// and values of prompts are multiplied out, next tokens attend to the latents (DeepSeek-V2, arXiv
/// 2405.04434, section 2.1). Leaves out that later chunks multiply out what earlier ones cached. Ends:
/// embedding with all-reduce; norm, product and all-gather of the logits, sampling. Stages pass one of tp
/// parts and gather it. Experts are balanced.
class InferenceWriter {
 public:
  InferenceWriter(const Transformer& model, const InferenceSpec& spec, const ServingPool& pool,
                  const InferenceGroups& groups, std::uint32_t stage, ServingPlan& plan, JobBuilder& job);

  /// The whole stage, once.
  Program write(std::string role);
  ServingProgram take_rules() { return std::move(rules_); }

 private:
  void layer(std::int64_t layer);
  void attention();
  void latent_attention();
  /// Of tokens, split over tp; or of slices, whole.
  void feed_forward(const char* name, BatchUnit unit, std::int64_t ffn);
  void experts();
  void exchange_experts();
  void begin_stage();
  void end_stage();
  Op op(OpKind kind, const char* stream, const std::string& name) {
    return make_op(kind, program_, stream, job_, name);
  }
  void chain(Op op, BatchUnit unit);
  std::uint32_t shape(const KernelShape& shape, BatchUnit unit);
  void kernel(const std::string& name, const KernelShape& shape, BatchUnit unit);
  void gemm(const std::string& name, BatchUnit unit, std::int64_t n, std::int64_t k, std::int64_t batch = 1);
  void memory(const std::string& name, BatchUnit unit, std::int64_t bytes);
  void collective(CollectiveType type, GroupKindId group, const char* dimension, BatchUnit unit,
                  std::int64_t bytes);
  void attention_kernel(bool is_prompt);
  void norm(BatchUnit unit);
  void message(OpKind kind, std::uint32_t stage);

  const Transformer& model_;
  const InferenceSpec& spec_;
  const ServingPool& pool_;
  const InferenceGroups& groups_;
  std::uint32_t stage_;
  ServingPlan& plan_;
  JobBuilder& job_;
  Program program_;
  ServingProgram rules_;
  std::vector<std::uint32_t> waits_;  ///< the last operation
  DataType dtype_;
  std::int64_t hidden_, tp_, q_, kv_;
};

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "workloads/generate/training_plan.hpp"
#include "workloads/job.hpp"

namespace lightrail {

/// The groups of a training job; invalid where the group would have one member.
struct TrainingGroups {
  GroupKindId tp{}, cp{}, ep{}, etp{}, dp{}, expert_dp{}, pp{}, embedding{};
  GroupKindId shard{}, replica{};  ///< FSDP: who shares the parameters, who has the same part
};

/// Writes one stage's program: kernels and communications one after the other, each waiting for the one
/// before although they run on different streams. What runs beside that (pipeline sends, overlapped
/// gradients) is put aside.
class StageWriter {
 public:
  StageWriter(const Transformer& model, const TrainingPlan& plan, const TrainingGroups& groups,
              std::uint32_t stage, JobBuilder& job);

  void forward_layer();
  void backward_layer();  ///< after the layer's forward pass
  void embed();           ///< first stage: input embedding
  void embed_backward();
  void head();  ///< last stage: final norm, logits, loss
  void head_backward();
  /// Reduces the gradients of `dense` + `expert` parameters; aside: on its own stream, not waited for.
  void reduce_gradients(std::int64_t dense, std::int64_t expert, bool is_aside);
  void reduce_tied_embedding();
  /// Starts gathering `dense` + `expert` parameters beside the chain, as soon as the chain has come here and
  /// the gathering before has ended. wait_for_parameters() makes the chain wait for the oldest one not yet
  /// waited for.
  void gather_parameters(std::int64_t dense, std::int64_t expert);
  void wait_for_parameters();
  /// FSDP: reduces a layer's or the edges' gradients over the shard, then over its copies; aside.
  void scatter_gradients(std::int64_t parameters);
  /// Waits for all reductions, updates the parameters, gathers them.
  void optimizer_step();
  void marker(const std::string& name);

  void receive(std::uint32_t from_stage, bool is_forward);  ///< waits for it
  void send(std::uint32_t to_stage, bool is_forward);       ///< does not wait for it

  Program take() { return std::move(program_); }

 private:
  Op op(OpKind kind, const char* stream, const std::string& name);
  std::uint32_t chain(Op op);
  /// With chunks the first and the last stage meet in both directions.
  std::uint32_t lane(bool is_forward) const { return plan_.chunks > 1 && !is_forward ? 1 : 0; }
  /// Appends an operation that the chain does not wait for, and returns its index.
  std::uint32_t beside(Op op, std::vector<std::uint32_t> after);
  /// The chain waits for that one too.
  void wait_for(std::uint32_t op) { waits_.push_back(op); }
  bool is_separate() const { return plan_.kernels == Kernels::separate; }
  bool is_overlapped(TensorOverlap least) const {
    return groups_.tp.is_valid() && plan_.tensor_overlap >= least;
  }
  /// Gathers the activation over tp, then multiplies it: m = the micro-batch's tokens.
  void gather_gemm(const std::string& name, std::int64_t n, std::int64_t k);
  /// Multiplies, then scatters the sums over tp.
  void gemm_scatter(const std::string& name, std::int64_t n, std::int64_t k);
  /// Backward of a product whose input was gathered: gathers the input again beside the first product, and
  /// scatters its result beside the second, where that is overlapped.
  void gathered_backward(const std::string& name, std::int64_t n, std::int64_t k);
  Op gemm_op(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1);
  void gemm(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1);
  void attention_kernel(bool is_backward, std::int64_t queries, std::int64_t keys, bool is_causal);
  void attention_core(bool is_backward);
  void unfused_attention(bool is_backward);
  void ring_attention(bool is_backward);
  std::uint32_t context_shift(std::int64_t bytes, std::uint32_t lane,
                              const std::vector<std::uint32_t>& after);
  void memory(const std::string& name, std::int64_t bytes);
  /// Bytes of `tokens` of an activation, as the products that are written take it.
  std::int64_t operand_bytes(std::int64_t tokens) const {
    return (dtype_ == DataType::fp8 ? 1 : 2) * tokens * hidden_;
  }
  Op collective_op(CollectiveType type, GroupKindId group, const char* dimension, std::int64_t bytes,
                   std::uint32_t element_bytes = 2);
  void collective(CollectiveType type, GroupKindId group, const char* dimension, std::int64_t bytes,
                  std::uint32_t element_bytes = 2);
  void enter_tensor_parallel();  ///< all-gather of a sequence-split activation
  void leave_tensor_parallel();  ///< reduce-scatter, or all-reduce
  void leave_backward();         ///< reduce-scatter or all-reduce, where the forward pass had an all-gather
  void attention_forward();
  void feed_forward();
  void write_forward_layer(bool is_again);  ///< again: recomputation
  void experts_forward();
  void attention_backward();
  void feed_forward_backward();
  void experts_backward();
  void exchange(bool is_dispatch, bool is_known);
  void norm(bool is_backward);
  void residual(bool is_backward);
  void bias_gradient(std::int64_t width);
  /// FP8: casts an operand that arrives in 2 bytes, in both layouts. Norms and activations write FP8.
  void cast(std::int64_t rows, std::int64_t columns);

  const Transformer& model_;
  const TrainingPlan& plan_;
  const TrainingGroups& groups_;
  std::uint32_t stage_;
  JobBuilder& job_;
  DataType dtype_;  ///< of the matrix products that are written
  Program program_;
  std::vector<std::uint32_t> waits_;  ///< the chain's last operation, and what the next must wait for as well
  std::vector<std::uint32_t> aside_;  ///< reductions that the optimiser waits for
  std::deque<std::vector<std::uint32_t>> gathered_;  ///< parameters on their way
  bool forward_is_known_ = false;
  /// The split matrix that the micro-batch before had for the dispatch of each layer; 0: none.
  std::vector<std::uint16_t> dispatched_;
  std::uint16_t expected_ = 0;               ///< of the layer that is written
  GateSplits splits_;                        ///< of the layer that is written
  std::int64_t forward_ = 0, backward_ = 0;  ///< layers written so far
  std::int64_t tokens_, local_, hidden_, tp_, q_, kv_, ffn_, expert_ffn_;
};

}  // namespace lightrail

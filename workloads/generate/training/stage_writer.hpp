#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "workloads/generate/training/gate_history.hpp"
#include "workloads/generate/training/training_groups.hpp"
#include "workloads/generate/training/training_plan.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

/// Writes one stage's program: kernels and communications one after the other, each waiting for the one
/// before although they run on different streams. What runs beside that (pipeline sends, overlapped
/// gradients) is put aside.
class StageWriter {
 public:
  StageWriter(const Transformer& model, const TrainingPlan& plan, const TrainingGroups& groups,
              std::uint32_t stage, JobBuilder& job, GateHistory& history);

  /// `layer` counts the model's layers; micro-batches come in the order of the schedule.
  void forward_layer(std::int64_t layer, std::int64_t micro_batch);
  /// After the layer's forward pass. Split: without the gradients of weights, which weight_gradients()
  /// writes.
  void backward_layer(std::int64_t layer, std::int64_t micro_batch, bool is_split);
  /// A micro-batch's tokens or labels, or both (`parts` 2), have to be here before the chain goes on; the
  /// loader then makes another one for later.
  void load_batch(int parts);
  void embed();  ///< first stage: input embedding
  void embed_backward();
  void head();  ///< last stage: final norm, logits, loss
  void head_backward(bool is_split);
  /// Before a layer of mtp_layers: the next tokens' embedding and the activation, projected.
  void project();
  void project_backward(bool is_split);
  /// What the oldest split backward layer, output layer or projection put off.
  void weight_gradients();
  /// Two passes that run together: begin, the first one's input, next, the second one's, run, the first one,
  /// next, the second one, end.
  void begin_together();
  void next_input();
  void run_together();
  void next_together();
  void end_together();
  /// Reduces the gradients of `dense` + `expert` parameters; aside: on its own stream, not waited for.
  void reduce_gradients(std::int64_t dense, std::int64_t expert, bool is_aside);
  /// Over tp, after all other reductions: of what each GPU has for its part of the sequence.
  void sum_partial_gradients();
  /// The chain waits for what is reduced aside.
  void wait_for_gradients();
  void reduce_shared_embedding();  ///< where the last stage has a copy of it
  /// Starts gathering `dense` + `expert` parameters beside the chain, as soon as the chain has come here and
  /// the gathering before has ended. wait_for_parameters() makes the chain wait for the oldest one not yet
  /// waited for.
  void gather_parameters(std::int64_t dense, std::int64_t expert);
  void wait_for_parameters();
  /// FSDP: reduces gradients of a layer or of the edges over the shard, then over its copies; aside.
  void scatter_gradients(std::int64_t dense, std::int64_t expert);
  /// Activations of the layer that has just been written go to the host; come back, before its backward pass.
  void offload_layer(std::int64_t bytes);
  void reload_layer(std::int64_t bytes);
  void wait_for_layer();
  /// The optimiser's state comes, if it is offloaded, for optimizer_step().
  void reload_optimizer();
  /// What comes is no pass any more: no graph of the iteration's launches it.
  void end_passes() { is_in_passes_ = false, scope_ = 0; }
  /// Waits for all reductions, updates the parameters, gathers them.
  void optimizer_step();
  /// <checkpoint>: reads the state before anything else; saves it behind the update, or what the update
  /// before has left beside the passes, to memory.
  void restore_checkpoint();
  void save_checkpoint();
  void save_to_peers();
  std::uint32_t marker(const std::string& name);  ///< its index
  /// What is written between takes place behind each eval_interval-th update alone. At its end the stages
  /// that have a loss average it.
  void begin_evaluation() { evaluation_ = program_.ops.size(); }
  void end_evaluation(bool has_loss);

  /// `chunk` counts where both directions of a pipeline cross.
  void receive(std::uint32_t from_stage, bool is_forward, std::uint32_t chunk);  ///< waits for it
  void send(std::uint32_t to_stage, bool is_forward, std::uint32_t chunk);       ///< does not wait for it

  Program take() { return std::move(program_); }

 private:
  Op op(OpKind kind, const char* stream, const std::string& name) {
    return make_op(kind, program_, stream, job_, name);
  }
  std::uint32_t chain(Op op);
  /// What a CPU does for it, eagerly.
  [[nodiscard]] HostWork eager_work(const Op& op) const;
  /// Counts what a CPU does for it, or the graph that it is in.
  void count_host_work(Op& op);
  /// A layer's pass begins: its parts have graphs of their own.
  void begin_graphs() {
    if (plan_.launch_plan.graphs != graph_scope::iteration) is_in_graph_ = false;
  }
  /// Kernels that move next to nothing, of the parts of a layer that `scope` names: written where launching
  /// takes time.
  void small_kernels(const std::string& name, std::int64_t count);
  /// The CPU learns how many tokens come to each expert.
  void read_counts();
  /// With chunks the first and the last stage meet in both directions, and with two directions all do.
  [[nodiscard]] std::uint32_t lane(bool is_forward) const {
    return plan_.stage_chunks() > 1 && !is_forward ? 1 : 0;
  }
  Op stage_message(OpKind kind, std::uint32_t peer, bool is_forward, std::uint32_t chunk);
  std::uint32_t host_copy(const char* stream, const char* name, bool is_to_gpu, std::int64_t bytes,
                          std::vector<std::uint32_t> after);
  void offload_optimizer();
  [[nodiscard]] std::int64_t updated_parameters() const;
  /// Of this GPU's part of the state [B].
  [[nodiscard]] std::int64_t optimizer_bytes() const;
  /// Appends an operation that the chain does not wait for, and returns its index.
  std::uint32_t beside(Op op, std::vector<std::uint32_t> after);
  /// The chain waits for that one too.
  void wait_for(std::uint32_t op) { waits_.push_back(op); }
  [[nodiscard]] bool is_separate() const { return plan_.kernels == Kernels::separate; }
  [[nodiscard]] bool is_overlapped(TensorOverlap least) const {
    return groups_.tp.is_valid() && plan_.tensor_overlap >= least;
  }
  /// Gathers the activation over tp, then multiplies it: m = the micro-batch's tokens.
  void gather_gemm(const std::string& name, std::int64_t n, std::int64_t k);
  /// Multiplies, then scatters the sums over tp.
  void gemm_scatter(const std::string& name, std::int64_t n, std::int64_t k);
  /// Backward of a product whose input was gathered: gathers the input again beside the first product, and
  /// scatters its result beside the second, where that is overlapped. is_input_cast: columns of the input
  /// were cast for another product.
  void gathered_backward(const std::string& name, std::int64_t n, std::int64_t k, bool is_input_cast = false);
  /// Backward of a product whose weights all GPUs of tp hold whole, each for its part of the sequence.
  void local_backward(const std::string& name, std::int64_t n, std::int64_t k, bool is_input_cast = false);
  /// The product `name` of n x k weights has adapters, which run beside it; backward before its gradient is
  /// summed over tp.
  [[nodiscard]] static std::uint32_t lora_module_of(const std::string& name);
  [[nodiscard]] bool is_adapted(const std::string& name) const {
    return (plan_.lora & lora_module_of(name)) != 0;
  }
  /// <data>: reads a later micro-batch when `taken` has left its place; its last operation, or `taken` where
  /// host memory has it all.
  std::uint32_t read_batch(std::uint32_t taken);
  void restore_from_peers();
  void wait_for_kept() { waits_.insert(waits_.end(), kept_.begin(), kept_.end()); }
  /// Of a checkpoint in memory. `peer`: how far behind in the group; of a host copy its direction.
  Op peer_op(OpKind kind, const char* name, std::int32_t peer, std::int64_t bytes);
  /// Its input is needed for the gradient of weights.
  [[nodiscard]] bool takes_input_back(const std::string& name) const {
    return !plan_.is_frozen() || is_adapted(name);
  }
  void adapter_forward(const std::string& name, std::int64_t n, std::int64_t k);
  void adapter_backward(const std::string& name, std::int64_t n, std::int64_t k);
  /// A product that gives the gradient of weights, of an input that is gathered before where that is split.
  void weight_gemm(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
                   std::int64_t batch = 1, bool gathers = false, bool is_input_cast = false);
  /// A memory-bound kernel that only gradients of parameters need; gathers: elements of a token of the input
  /// that is gathered before, 0: none.
  void weight_memory(const std::string& name, std::int64_t bytes, std::int64_t kernels = 1,
                     std::int64_t gathers = 0);
  Op compute_op(const std::string& name, const KernelShape& shape, std::uint16_t load);
  [[nodiscard]] KernelShape gemm_shape(std::int64_t m, std::int64_t n, std::int64_t k,
                                       std::int64_t batch) const;
  Op gemm_op(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1);
  void gemm(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1);
  void attention_kernel(bool is_backward, std::int64_t queries, std::int64_t keys, bool is_causal);
  void attention_core(bool is_backward);
  void unfused_attention(bool is_backward);
  void ring_attention(bool is_backward);
  std::uint32_t context_shift(std::int64_t bytes, std::uint32_t lane,
                              const std::vector<std::uint32_t>& after);
  /// `kernels` that move these bytes together.
  void memory(const std::string& name, std::int64_t bytes, std::int64_t kernels = 1);
  /// Bytes of `tokens` of an activation of so many elements each, as the products that are written take it.
  [[nodiscard]] std::int64_t operand_bytes(std::int64_t tokens, std::int64_t width) const {
    return is_quantised(dtype_) ? plan_.operand_bytes(tokens * width) : 2 * tokens * width;
  }
  Op collective_op(CollectiveType type, GroupKindId group, const char* dimension, std::int64_t bytes,
                   std::uint32_t element_bytes = 2);
  void collective(CollectiveType type, GroupKindId group, const char* dimension, std::int64_t bytes,
                  std::uint32_t element_bytes = 2);
  /// All-gather of a sequence-split activation of `width` elements a token.
  void enter_tensor_parallel(std::int64_t width);
  /// Reduce-scatter, or all-reduce; also of a gradient, where the forward pass had an all-gather.
  void leave_tensor_parallel(std::int64_t width);
  void attention_forward();
  void feed_forward();
  void mamba_forward();
  void mamba_scan(bool is_backward);
  void mamba_backward();
  void parallel_forward();
  void parallel_backward();
  /// Both products of a feed-forward of this inner size on one GPU.
  void inner_forward(const std::string& name, std::int64_t width);
  void inner_backward(const std::string& name, std::int64_t width);
  void latent_attention_forward();
  /// Queries, keys and values out of their latents; without one for queries out of the input, of which so
  /// many rows are cast.
  void latents_forward(std::int64_t rows);
  void latent_attention_backward();
  /// Of a token on one GPU [elements]: keys and values of all its heads, and what attention makes of them.
  [[nodiscard]] std::int64_t key_value_width() const;
  [[nodiscard]] std::int64_t context_width() const { return model_.heads / tp_ * model_.value_size(); }
  /// Rows that the experts of one GPU work on.
  [[nodiscard]] std::int64_t expert_rows() const;
  /// What recompute="light" computes again before a layer goes back.
  void write_light_again();
  /// What recompute="modules" does.
  void write_modules_again();
  void set_layer(std::int64_t layer, std::int64_t micro_batch);
  void write_forward_layer(bool is_again);  ///< again: recomputation
  void write_backward_layer();
  void experts_forward();
  void attention_backward();
  void feed_forward_backward();
  void experts_backward();
  void exchange(bool is_dispatch, bool is_known);
  void gather_routing_maps();
  [[nodiscard]] std::int64_t permuted_tokens() const;
  /// The exchange to experts or back, and the kernels that its buffers ask for; what is written between works
  /// on as many tokens as the gate sends.
  void dispatch(const std::string& permutation, bool is_known);
  void combine(const std::string& permutation);
  void learn_gate(std::int64_t layer, std::int64_t micro_batch);
  void quantize_for_dispatch(bool is_backward);
  void dequantize(std::int64_t rows);
  void sort_by_expert(const std::string& name, std::int64_t rows, std::int64_t token_bytes);
  /// What a gated activation's limits cost, and the biases of experts' outputs.
  void clamp(bool is_backward, std::int64_t rows, std::int64_t width);
  void activation(std::int64_t rows, std::int64_t width);
  void expert_biases(bool is_backward, std::int64_t rows);
  void normalise_heads(bool is_backward);
  [[nodiscard]] std::int64_t local_experts() const { return model_.experts / plan_.ep; }
  void norm(bool is_backward);
  void residual(bool is_backward);
  void bias_gradient(std::int64_t width);
  /// What has written an operand: a kernel that can scale it on its way (norm, activation), experts'
  /// activation, which cannot, or another one. recompute="light" computes what the first two write again.
  enum class From : std::uint8_t { kernel, experts, other };
  /// Casts before a product of `rows` inputs of k elements by weights of n x k, of `kernels` such; without
  /// rows, of weights alone. Quantised types only.
  void cast_forward(From from, std::int64_t rows, std::int64_t n, std::int64_t k, std::int64_t kernels = 1);
  /// A cast to a type with scales of blocks writes each element `copies` times, of `elements`; NVFP4 reads
  /// once more, for the largest value of the tensor. Nothing where the kernel before has done it.
  void cast_blocks(From from, std::int64_t elements, std::int64_t copies, std::int64_t kernels);
  /// Casts before its gradients: the result's and weights.
  void cast_backward(From from, std::int64_t rows, std::int64_t n, std::int64_t k, std::int64_t kernels = 1);
  /// Rowwise: rows of an activation that were gathered over tp, before a product takes them.
  void cast_gathered(std::int64_t rows, std::int64_t width);
  /// Rowwise: columns of an input and a gradient, before the product that gives the gradient of weights.
  void cast_columns(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch, bool gathers,
                    bool is_input_cast);
  /// An input that was computed again for the gradient of weights alone.
  void cast_again(From from, std::int64_t rows, std::int64_t columns, std::int64_t kernels = 1);
  /// Rowwise scales are made of what was gathered, which came in two bytes.
  [[nodiscard]] bool casts_gathered() const {
    return plan_.is_rowwise() && plan_.sequence_parallel && groups_.tp.is_valid();
  }
  /// Rows of a product's input that are cast before they are gathered over tp.
  [[nodiscard]] std::int64_t cast_rows() const { return casts_gathered() ? 0 : local_; }

  const Transformer& model_;
  const TrainingPlan& plan_;
  const TrainingGroups& groups_;
  std::uint32_t stage_;
  JobBuilder& job_;
  DataType dtype_;  ///< of the matrix products that are written
  Program program_;
  std::vector<std::uint32_t> waits_;  ///< the chain's last operation, and what the next must wait for as well
  /// A kernel that a split backward pass puts off; gathers: elements of a token of its input, which is
  /// gathered over tp first; 0: it is not.
  struct DeferredKernel {
    std::string name;
    KernelShape shape;
    std::int64_t gathers = 0;
    std::uint16_t load = 0;
  };
  std::deque<std::vector<DeferredKernel>>
      deferred_;  ///< of output layers and layers, in the order of their passes
  bool puts_off_ = false;
  std::uint32_t together_ = 0, second_ = 0;  ///< where two passes that run together begin
  std::vector<std::uint32_t> start_, first_end_;
  std::vector<std::uint32_t> aside_;                 ///< reductions that the optimiser waits for
  std::vector<std::uint32_t> kept_;                  ///< ends of the state's way to memory, before the update
  std::vector<std::uint32_t> loads_;                 ///< of micro-batches, in their order
  std::deque<std::vector<std::uint32_t>> gathered_;  ///< parameters on their way
  std::deque<std::uint32_t> offloads_, reloads_;     ///< activations on their way
  std::uint32_t last_offload_ = 0;
  std::uint32_t optimizer_ = 0;  ///< its state's way here
  std::size_t evaluation_ = 0;   ///< its first operation
  bool forward_is_known_ = false;
  bool keeps_all_ = true;    ///< of the forward pass that is written, for the gradients of weights
  std::uint32_t scope_ = 0;  ///< graph_scope of what is written; 0: in none of them
  bool is_in_passes_ = true;
  bool is_in_graph_ = false;  ///< what was written last
  bool reads_back_ = false;   ///< what is written next
  GateHistory& history_;
  std::uint16_t expected_ = 0;  ///< of the layer that is written
  GateSplits splits_;           ///< of the layer that is written
  std::uint16_t load_ = 0;      ///< of the kernels that are written: GateSplits::load
  bool is_moe_layer_ = false;   ///< the layer that is written
  bool is_windowed_ = false;    ///< the layer that is written
  std::int64_t layer_ = 0;      ///< that is written
  std::int64_t tokens_, local_, hidden_, tp_, q_, kv_, ffn_, shared_ffn_, expert_ffn_;
};

}  // namespace lightrail

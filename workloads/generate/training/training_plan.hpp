#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/generate/training/gate.hpp"
#include "workloads/generate/training/launch_plan.hpp"
#include "workloads/generate/training/lora_plan.hpp"
#include "workloads/generate/training/step_over_plan.hpp"
#include "workloads/generate/training/training_checkpoint.hpp"
#include "workloads/generate/training/training_data.hpp"
#include "workloads/generate/training/transformer.hpp"
#include "workloads/job/pipeline_schedule.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Activations computed again in the backward pass: the core of attention (Korthikanti et al. 2022); norms,
/// activation functions and what latent attention multiplies out of its latents (DeepSeek-V3, arXiv
/// 2412.19437, sections 3.2.3 and 3.3.3: with FP8, inputs of products are kept in a byte); or all. Modules:
/// the parts of a layer that are named.
enum class Recompute : std::uint8_t { none, selective, modules, light, full };
/// Parts of a layer by the names that Megatron Core has for them; their sum is TrainingPlan::modules.
/// moe_act: the activation function of routed experts. mlp: a dense feed-forward.
namespace recompute_module {
inline constexpr std::uint32_t core_attn = 1, layernorm = 2, mla_up_proj = 4, moe_act = 8, mlp = 16;
}
/// Fused: attention that never writes its scores, cross entropy and optimiser in one pass each. Separate, as
/// Megatron-LM was until 2022: attention as products, softmax and dropout; cross entropy in FP32, an
/// operation after the other; weight gradients of norms as their own pass; gradients unscaled and clipped
/// before Adam.
enum class Kernels : std::uint8_t { fused, separate };
/// What hides the collectives of tensor parallelism: nothing; in the backward pass the product that does not
/// need them (Megatron-LM since 2022); all products, cut into as many pieces as the group has members
/// (Transformer Engine's user buffers).
enum class TensorOverlap : std::uint8_t { none, backward, all };
/// Where the scales of FP8 operands are from: steps before (Transformer Engine), or what is cast: a tensor,
/// or a row of one orientation and a column of the other (torchao's tensorwise and rowwise).
enum class Float8Recipe : std::uint8_t { delayed, tensorwise, rowwise };
/// Order of the passes through a stage (workloads/job/pipeline_schedule.hpp); 1F1B is interleaved with
/// chunks.
enum class Schedule : std::uint8_t { one_f_one_b, zb_h1, dualpipe };

/// Who is in an expert-parallel group where an expert has fewer GPUs than tp (etp): ranks next to each other,
/// so that tensor-parallel neighbours have different experts (Megatron Core's folding), or the same
/// tensor-parallel rank of ep data-parallel replicas, so that they have the same ones (DeepSpeed-MoE's
/// default).
enum class ExpertGroups : std::uint8_t { neighbours, replicas };

/// Experts' loads: all equal; what random scores send (benchmarks force that); what a <gate> says. `unsaid`:
/// by a <gate> where there is one, else even.
enum class ExpertBalance : std::uint8_t { unsaid, even, forced, natural };

/// What a plan that does not fit its GPUs by the estimate of TrainingMemory is: refused, or run with a
/// remark.
enum class MemoryCheck : std::uint8_t { refuse, warn };

/// How a model is spread over GPUs and trained: <workload kind="training" tp="2" .../>. GPU number = tp index
/// + tp * (cp index + cp * (dp index + dp * stage)), as Megatron orders its ranks. Experts see the tp cp dp
/// GPUs of a stage as etp x ep x expert_dp, expert-tensor neighbours first; with ExpertGroups::replicas as
/// etp x (tp / etp) x ep x the other replicas.
struct TrainingPlan {
  std::uint32_t tp = 1, cp = 1, pp = 1, ep = 1;
  std::uint32_t etp = 0;  ///< tensor parallelism of experts; 0: tp
  ExpertGroups expert_groups = ExpertGroups::neighbours;
  std::uint32_t chunks = 1;  ///< parts of the model that a stage holds: above 1, interleaved 1F1B
  Schedule schedule = Schedule::one_f_one_b;
  std::string stage_layers_text = "even";  ///< "13x4 3x3": 13 stages of 4 layers, 3 of 3
  std::vector<std::int64_t> stage_layers;  ///< of each of model_stages(); empty: equal ones
  std::uint32_t dp = 1;                    ///< fold GPUs / (tp cp pp), not given
  std::uint32_t fold = 1;                  ///< replicas that one of those simulated stands for
  std::int64_t sequence = 4096, micro_batch = 1, global_batch = 1;  ///< [tokens], [sequences], [sequences]
  bool sequence_parallel = true;      ///< norms and residuals split over tp: all-gather and reduce-scatter
  bool distributed_optimizer = true;  ///< reduce-scatter gradients, all-gather parameters; else all-reduce
  bool overlap_gradients = false;     ///< gradients of a layer are reduced when its last backward has ended
  std::int64_t bucket_size = 0;       ///< gradients are reduced in pieces of so many parameters; 0: by layer
  bool overlap_parameters =
      false;  ///< distributed optimiser: layers are gathered beside the next forward pass
  bool shards_parameters = false;  ///< FSDP: a layer is gathered before its passes, one layer ahead
  bool overlap_experts = false;    ///< a forward and a backward pass run beside each other's exchanges
  std::uint32_t shard = 0;         ///< GPUs that share a layer; fewer than dp cp: HSDP; 0: dp cp
  bool edges_count = false;        ///< embedding and output layer count as a layer when stages are made equal
  bool scatter_gather = false;     ///< without sequence parallelism: stages send tp-th parts, and gather them
  Recompute recompute = Recompute::none;
  std::string module_names = "none";  ///< "mla_up_proj moe_act"
  std::uint32_t modules = 0;          ///< of recompute_module
  Kernels kernels = Kernels::fused;
  TensorOverlap tensor_overlap = TensorOverlap::none;
  bool dropout = false;  ///< after attention, feed-forward and embedding; unfused also on the scores
  DataType dtype = DataType::bf16;  ///< of the matrix products; activations and parameters are 2 bytes
  Float8Recipe float8_recipe = Float8Recipe::delayed;
  bool fuses_casts = false;  ///< norms and activations write types with scales of blocks themselves
  Gate gate;                 ///< <gate>: where experts' tokens go
  std::optional<TrainingCheckpoint> checkpoint;          ///< <checkpoint>: none saves nothing
  std::optional<TrainingData> data;                      ///< <data>: none reads nothing from storage
  Algorithm exchange = Algorithm::auto_select;           ///< of experts' all-to-alls
  TokenBuffers token_buffers = TokenBuffers::by_sender;  ///< of that exchange; not given
  std::uint32_t ep_servers = 1;                          ///< that an expert group lies on; not given
  DataType dispatch = DataType::bf16;                    ///< of tokens and gradients on their way to experts
  /// Tokens of a micro-batch that an expert takes from a GPU, over their average; more are dropped. 0: all
  /// are taken.
  double capacity_factor = 0;
  ExpertBalance expert_balance = ExpertBalance::unsaid;
  std::int64_t balance_seed = 1;
  bool has_uneven_experts = false;  ///< their kernels take what the gate sends, not the average
  bool pads_to_capacity = false;    ///< every expert works on its whole capacity, whatever came
  bool learns_gate = false;         ///< what is expected of a gate is learned, not the micro-batch before's
  DataType gradients = DataType::fp32;  ///< of gradient accumulation and reduction
  SimTime loading_time{};               ///< of a CPU for a micro-batch of a GPU; 0: data are there
  std::uint32_t loading_ahead = 2;      ///< micro-batches that are ready when a step begins
  std::uint32_t eval_interval = 0;      ///< steps from one evaluation to the next; 0: none
  std::uint32_t eval_iters = 1;         ///< batches of each
  DataType moments = DataType::fp32;    ///< both of Adam's; its copy of the parameters is FP32
  MemoryCheck memory_check = MemoryCheck::refuse;
  std::int64_t lora_rank = 0;  ///< of adapters, which alone are trained; 0: all is
  std::string lora_names = "all";
  std::uint32_t lora = 0;           ///< sum of lora_module
  std::int64_t offload_layers = 0;  ///< first ones of every chunk, whose activations go to the host
  bool offloads_optimizer = false;  ///< its state is with the host between updates
  HostModel host_model = HostModel::automatic;
  bool has_launch_times = false;  ///< every GPU's host says how long a launch takes; not given
  std::string graphs = "none";    ///< "attn moe_router"
  ExpertKernels expert_kernels = ExpertKernels::each;
  ExpertCasts expert_casts = ExpertCasts::each;
  RouterKernels router_kernels = RouterKernels::fused;
  bool reads_counts = true;  ///< of tokens by expert, to the CPU
  bool binds_cpus = true;
  std::uint32_t connections = 32;    ///< CUDA_DEVICE_MAX_CONNECTIONS
  std::uint32_t collects_every = 0;  ///< iterations; 0: no garbage collection
  LaunchPlan launch_plan;            ///< of these
  StepOver step_over = StepOver::none;
  std::uint32_t settling_periods = 0, measured_periods = 0;  ///< 0: as many as step_over_plan.cpp says

  [[nodiscard]] bool is_rowwise() const { return float8_recipe == Float8Recipe::rowwise; }
  /// Bytes of elements of a product's input as they are gathered over tp and kept for the gradient of
  /// weights. Rowwise they have another scale there, and stay as they were.
  [[nodiscard]] std::int64_t operand_bytes(std::int64_t elements) const {
    return narrows_operands() ? bytes_of(dtype, elements) : 2 * elements;
  }
  /// Operands are kept beside what they are cast from.
  [[nodiscard]] bool narrows_operands() const { return is_quantised(dtype) && !is_rowwise(); }
  /// A part of a layer is computed again.
  [[nodiscard]] bool recomputes(std::uint32_t module) const {
    return (modules & module) != 0 ||
           (module == recompute_module::core_attn && recompute == Recompute::selective);
  }
  /// The model's own parameters are no longer trained.
  [[nodiscard]] bool is_frozen() const { return lora_rank > 0; }
  [[nodiscard]] bool counts_launches() const {
    return host_model == HostModel::launches || (host_model == HostModel::automatic && has_launch_times);
  }
  [[nodiscard]] std::int64_t micro_batches() const { return global_batch / (micro_batch * dp); }
  [[nodiscard]] std::int64_t tokens() const {
    return micro_batch * sequence / cp;
  }  ///< of a micro-batch, on one GPU
  [[nodiscard]] std::int64_t local_tokens() const { return sequence_parallel ? tokens() / tp : tokens(); }
  /// DualPipe: micro-batches enter at both ends, and a stage holds its mirror's layers as its second chunk.
  [[nodiscard]] bool is_bidirectional() const { return schedule == Schedule::dualpipe; }
  [[nodiscard]] std::uint32_t copies() const {
    return is_bidirectional() ? 2 : 1;
  }  ///< stages that hold a layer
  [[nodiscard]] std::uint32_t stage_chunks() const { return is_bidirectional() ? 2 : chunks; }
  [[nodiscard]] std::int64_t data_gpus() const { return std::int64_t{dp} * cp; }
  /// Of a stage, those that are simulated.
  [[nodiscard]] std::uint32_t simulated_data_gpus() const { return cp * (dp / fold); }
  [[nodiscard]] std::uint32_t stage_gpus() const { return tp * simulated_data_gpus(); }
  [[nodiscard]] std::int64_t gradient_gpus() const {
    return data_gpus() * copies();
  }  ///< that share a gradient
  [[nodiscard]] std::int64_t shard_gpus() const { return shard == 0 ? data_gpus() : shard; }
  /// FSDP in a pipeline: a chunk's parameters are gathered before its first forward pass and stay, gradients
  /// are summed whole and reduced with the last backward pass, as PyTorch's pipelines have it
  /// (torch/distributed/pipelining/stage.py) and torchtitan by default (fsdp_reshard_after_forward).
  [[nodiscard]] bool keeps_gathered() const { return shards_parameters && pp > 1; }
  [[nodiscard]] std::int64_t expert_tp() const { return etp == 0 ? tp : etp; }
  /// Tensor-parallel neighbours have the same experts, whole or in equal parts.
  [[nodiscard]] bool repeats_experts() const {
    return expert_groups == ExpertGroups::replicas && expert_tp() < std::int64_t{tp};
  }
  /// Copies of a GPU's tokens that go to experts, all of them: dropped ones are in, unless padding replaces
  /// what comes.
  [[nodiscard]] std::int64_t routed_tokens(const Transformer& model) const {
    const std::int64_t all = local_tokens() * model.active_experts;
    return pads_to_capacity ? capacity(model) * model.experts : all;
  }
  /// Of those, the copies that an even gate's experts take.
  [[nodiscard]] std::int64_t kept_tokens(const Transformer& model) const {
    if (capacity_factor == 0) return routed_tokens(model);
    return pads_to_capacity ? routed_tokens(model)
                            : std::min(routed_tokens(model), capacity(model) * model.experts);
  }
  /// Of `copies` of tokens that came for a GPU's experts, the tokens: who has several experts here came once.
  [[nodiscard]] std::int64_t arrived_tokens(const Transformer& model, std::int64_t copies) const;
  /// HybridEP's maps of where the tokens of all members of an expert group go, a byte a token and expert.
  [[nodiscard]] std::int64_t routing_map_bytes(const Transformer& model) const {
    return ep * local_tokens() * model.experts;
  }
  /// Of a token's copy on its way to an expert; FP8 with a scale of 4 B for 128 elements.
  [[nodiscard]] std::int64_t dispatch_bytes(const Transformer& model) const {
    return dispatch == DataType::fp8 ? model.hidden + (model.hidden + 127) / 128 * 4 : 2 * model.hidden;
  }
  /// Tokens that an expert takes from one GPU's micro-batch at most.
  [[nodiscard]] std::int64_t capacity(const Transformer& model) const;
  /// The largest part of its copies of tokens that a GPU's experts take from another GPU: their capacity.
  [[nodiscard]] double max_share(const Transformer& model) const;
  /// That share the gradient of an expert.
  [[nodiscard]] std::int64_t expert_dp() const { return tp * gradient_gpus() / (expert_tp() * ep); }
  /// Of these, who share an expert's parameters: FSDP's shard may be smaller.
  [[nodiscard]] std::int64_t expert_shard_gpus() const {
    return shards_parameters ? tp * shard_gpus() / (expert_tp() * ep) : expert_dp();
  }
  /// Bytes of an activation that one GPU sends to the next stage.
  [[nodiscard]] std::int64_t stage_message(const Transformer& model) const {
    return 2 * model.hidden * (scatter_gather ? tokens() / tp : local_tokens());
  }
  /// FP32 copy and both moments [B a parameter].
  [[nodiscard]] std::int64_t optimizer_bytes() const { return moments == DataType::bf16 ? 8 : 12; }
  /// Micro-batches that go through one chunk.
  [[nodiscard]] std::int64_t chunk_micro_batches() const { return micro_batches() / copies(); }
  /// Which of the step's micro-batches goes through: with two directions those of both take turns.
  [[nodiscard]] std::int64_t micro_batch_of(const ChunkPass& pass) const {
    return is_bidirectional() ? pass.micro_batch * 2 + pass.chunk : pass.micro_batch;
  }
  /// In the order of the schedule, without those of the micro-batches that are stepped over.
  [[nodiscard]] std::vector<ChunkPass> passes(std::uint32_t stage) const;
  /// Of an iteration of a run: where the gate drifts on, micro-batches follow those of the one before.
  [[nodiscard]] TrainingPlan of_iteration(std::int64_t iteration) const;
  /// The stage in whose layers of the model a chunk lies, counted over the whole model: 0 ... pp chunks - 1.
  [[nodiscard]] std::uint32_t model_stage(std::uint32_t stage, std::uint32_t chunk) const {
    return is_bidirectional() ? (chunk == 0 ? stage : pp - 1 - stage) : chunk * pp + stage;
  }
  [[nodiscard]] std::uint32_t model_stages() const { return pp * chunks; }
  /// The last stage has a copy of the first one's embedding table.
  [[nodiscard]] bool copies_embedding(const Transformer& model) const {
    return (model.tied_embeddings || model.mtp_layers > 0) && pp > 1 && copies() == 1;
  }
  /// Of one of model_stages(), without mtp_layers.
  [[nodiscard]] std::int64_t layers_of_model_stage(const Transformer& model, std::uint32_t at) const;
  [[nodiscard]] bool ends_model(std::uint32_t stage, std::uint32_t chunk) const {
    return model_stage(stage, chunk) + 1 == model_stages();
  }
  /// With mtp_layers where the model ends.
  [[nodiscard]] std::int64_t layers_of_chunk(const Transformer& model, std::uint32_t stage,
                                             std::uint32_t chunk) const {
    return layers_of_model_stage(model, model_stage(stage, chunk)) +
           (ends_model(stage, chunk) ? model.mtp_layers : 0);
  }
  /// The first of a chunk's layers in the model.
  [[nodiscard]] std::int64_t first_layer(const Transformer& model, std::uint32_t stage,
                                         std::uint32_t chunk) const;
};

/// `algorithms`: the choices of the experts' exchange.
[[nodiscard]] Describe<TrainingPlan> training_parameters(const AlgorithmRegistry& algorithms);

/// Reads the plan for `gpus` GPUs and refuses what cannot be split evenly, with the numbers.
void read_training_plan(const Element& workload, const Transformer& model, std::uint32_t gpus,
                        const AlgorithmRegistry& algorithms, TrainingPlan& plan, ErrorList& errors);

/// Fills the layers of every one of model_stages() from their text; "" or what is wrong.
[[nodiscard]] std::string read_stage_layers(const Transformer& model, TrainingPlan& plan);

/// The vocabulary padded to a multiple of 128 x tp, as Megatron does.
[[nodiscard]] std::int64_t padded_vocabulary(const Transformer& model, const TrainingPlan& plan);

/// Parameters of one layer of the model that one GPU holds.
struct LayerParameters {
  std::int64_t dense = 0;   ///< attention, norms, router, dense feed-forward, shared experts
  std::int64_t expert = 0;  ///< its experts
  /// Of the dense ones those that all GPUs of tp hold whole and apply to their own parts of the sequence:
  /// norms, router, biases of row-parallel products, projections of further predictions.
  std::int64_t repeated = 0;
};
[[nodiscard]] LayerParameters layer_parameters(const Transformer& model, const TrainingPlan& plan,
                                               std::int64_t layer);

/// Of these those that are trained: all, or the layer's adapters.
[[nodiscard]] LayerParameters trained_layer_parameters(const Transformer& model, const TrainingPlan& plan,
                                                       std::int64_t layer);

/// Parameters that one GPU of a stage holds; with two directions those of its mirror stage too.
struct StageParameters {
  std::vector<LayerParameters> layers;  ///< chunk by chunk
  std::int64_t embedding = 0;           ///< input embedding, output layer, final norm: first and last stage
  std::int64_t final_norm = 0;          ///< of these, the norm
  [[nodiscard]] std::int64_t dense() const;
  [[nodiscard]] std::int64_t expert() const;
  [[nodiscard]] std::int64_t repeated() const;  ///< LayerParameters::repeated and the final norm
};
/// Elements of a stage's gradients that are summed over tp once a step, because each of its GPUs has them of
/// its part of the sequence; FSDP: of the part that a GPU keeps. Megatron Core sums them in one piece after
/// the reductions over dp (core/distributed/finalize_model_grads.py).
[[nodiscard]] std::int64_t partial_gradients(const TrainingPlan& plan, const StageParameters& stage);
[[nodiscard]] StageParameters stage_parameters(const Transformer& model, const TrainingPlan& plan,
                                               std::uint32_t stage);
/// Of these those that are trained.
[[nodiscard]] StageParameters trained_parameters(const Transformer& model, const TrainingPlan& plan,
                                                 std::uint32_t stage);

/// Elements of a gradient or parameter buffer of `parameters`, padded so that `members` get equal parts.
[[nodiscard]] std::int64_t padded_to(std::int64_t parameters, std::int64_t members);

}  // namespace lightrail

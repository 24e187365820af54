#pragma once
#include <cstdint>

#include "workloads/generate/gate.hpp"
#include "workloads/generate/transformer.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

enum class Recompute : std::uint8_t { none, full };

/// How a model is spread over GPUs and trained: <workload kind="training" tp="2" .../>. GPU number = tp index
/// + tp * (dp index + dp * stage), as Megatron orders its ranks; expert-parallel groups are neighbours among
/// the data-parallel.
struct TrainingPlan {
  std::uint32_t tp = 1, pp = 1, ep = 1;
  std::uint32_t chunks = 1;  ///< parts of the model that a stage holds: above 1, interleaved 1F1B
  std::uint32_t dp = 1;      ///< GPUs / (tp pp), not given
  std::int64_t sequence = 4096, micro_batch = 1, global_batch = 1;  ///< [tokens], [sequences], [sequences]
  bool sequence_parallel = true;      ///< norms and residuals split over tp: all-gather and reduce-scatter
  bool distributed_optimizer = true;  ///< reduce-scatter gradients, all-gather parameters; else all-reduce
  bool overlap_gradients = false;     ///< gradients of a layer are reduced when its last backward has ended
  Recompute recompute = Recompute::none;
  DataType dtype = DataType::bf16;      ///< of the matrix products; activations and parameters are 2 bytes
  Gate gate;                            ///< <gate>: where experts' tokens go
  DataType gradients = DataType::fp32;  ///< of gradient accumulation and reduction

  std::int64_t micro_batches() const { return global_batch / (micro_batch * dp); }
  std::int64_t tokens() const { return micro_batch * sequence; }  ///< of a micro-batch
  std::int64_t local_tokens() const { return sequence_parallel ? tokens() / tp : tokens(); }
  std::int64_t expert_dp() const { return dp / ep; }
  std::int64_t layers_of_stage(const Transformer& model) const { return model.layers / pp; }
  std::int64_t layers_of_chunk(const Transformer& model) const { return model.layers / pp / chunks; }
  /// Most passes through a chunk whose activations a stage holds at once: those of its schedule's start, and
  /// one more.
  std::int64_t passes_in_flight(std::uint32_t stage) const;
};

Describe<TrainingPlan> training_parameters();

/// Reads the plan for `gpus` GPUs and refuses what cannot be split evenly, with the numbers.
void read_training_plan(const Element& workload, const Transformer& model, std::uint32_t gpus,
                        TrainingPlan& plan, ErrorList& errors);

/// The vocabulary padded to a multiple of 128 x tp, as Megatron does.
std::int64_t padded_vocabulary(const Transformer& model, const TrainingPlan& plan);

/// Parameters that one GPU of a stage holds.
struct StageParameters {
  std::int64_t dense_layer = 0;   ///< of one layer: attention, norms, router, dense feed-forward
  std::int64_t expert_layer = 0;  ///< of one layer: its experts
  std::int64_t embedding = 0;     ///< input embedding, output layer, final norm: first and last stage
  std::int64_t layers = 0;
  std::int64_t dense() const { return layers * dense_layer + embedding; }
  std::int64_t expert() const { return layers * expert_layer; }
};
StageParameters stage_parameters(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage);

/// Elements of a gradient or parameter buffer of `parameters`, padded so that `members` get equal parts.
std::int64_t padded_to(std::int64_t parameters, std::int64_t members);

}  // namespace lightrail

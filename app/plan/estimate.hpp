#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "app/plan/candidates.hpp"
#include "workloads/generate/training/training_plan.hpp"
#include "workloads/generate/training/transformer.hpp"

namespace lightrail {

/// What a plan's step is made of, as far as the plan alone says.
struct PlanShape {
  std::int64_t micro_batches = 1;
  double bubble = 0;             ///< of the pipeline, in times of a micro-batch on a stage
  std::int64_t most_layers = 1;  ///< of the fullest stage
  double last_layers = 1;        ///< of the GPUs with the output layer
  double edges = 1;              ///< micro-batches whose output layer these have; DualPipe: every other one
};
[[nodiscard]] PlanShape shape_of(const TrainingPlan& plan, const Transformer& model);

/// Times of a GPU that depend on how layers are cut and not on how many there are [ps].
struct UnitTimes {
  double layer = 0;       ///< a layer's passes of a micro-batch
  double edges = 0;       ///< passes of a micro-batch beside: embedding, output, first dense layers
  double layer_once = 0;  ///< a layer's part of what comes once a step: gradients, optimiser
  double once = 0;        ///< what comes once a step beside
};

/// Four small jobs of a plan's cut without a pipeline: two numbers of layers, each with two of micro-batches.
struct UnitJobs {
  std::array<std::int64_t, 2> layers{1, 2};
  static constexpr std::array<std::int64_t, 2> micro_batches{4, 8};
};
/// Layers of both, so that what is between them is what repeats in the model; one and the same number (all of
/// them) where nothing does.
[[nodiscard]] UnitJobs unit_jobs_of(const Transformer& model);

/// What the small jobs take [ps], first index layers, second micro-batches.
using UnitSteps = std::array<std::array<std::int64_t, 2>, 2>;
[[nodiscard]] UnitTimes unit_times(const UnitJobs& jobs, const UnitSteps& steps);

/// Of a plan of plan_candidates() what decides its UnitTimes; the same text: the same times.
[[nodiscard]] std::string unit_of(const PlanAttributes& plan);
/// The attributes of a small job of so many micro-batches on so many GPUs.
[[nodiscard]] PlanAttributes unit_plan(const PlanAttributes& plan, std::uint32_t gpus,
                                       std::int64_t micro_batches);

/// A step of the plan [ps]: micro-batches and bubble at the pace of the slowest stage, then what comes once.
/// Leaves out what a pipeline sends, and that fewer replicas share gradients than in the small jobs.
[[nodiscard]] double estimated_step(const PlanShape& shape, const UnitTimes& times);

}  // namespace lightrail

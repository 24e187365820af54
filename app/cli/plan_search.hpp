#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/cli/stages.hpp"
#include "app/plan/candidates.hpp"
#include "app/registry/registry.hpp"
#include "engine/model/network_cost.hpp"
#include "engine/scenario/read_scenario.hpp"
#include "workloads/generate/training/training_plan.hpp"
#include "workloads/generate/training/transformer.hpp"

namespace lightrail {

/// A way to spread a model over a cluster that fits, or the scenario's own.
struct Way {
  PlanAttributes plan;  ///< empty: as the scenario has it
  std::int64_t memory_bytes = 0;
  double rough = 1;
  std::int64_t formula_ps = -1, trains_ps = -1;  ///< of the first step; -1: not run, or refused

  /// As fine as it was run.
  [[nodiscard]] double seconds() const {
    return 1e-12 * static_cast<double>(trains_ps >= 0 ? trains_ps : formula_ps);
  }
};

/// The cluster and the model, apart from how the one is spread over the other.
struct PlanTask {
  ReadScenario scenario;
  Transformer model;
  TrainingPlan own;
  std::uint32_t gpus = 0, domain = 0;
  std::int64_t memory_bytes = 0;       ///< of the smallest GPU
  Flops peak{};                        ///< of one GPU, in the products' type
  std::optional<NetworkCost> network;  ///< none: the scenario has no prices

  [[nodiscard]] const Element& workload() const { return *scenario.root.child("workload"); }
  [[nodiscard]] double tokens() const {
    return static_cast<double>(own.global_batch) * static_cast<double>(own.sequence);
  }
};

/// What was found: the fastest way first.
struct PlanSearch {
  std::vector<Way> ways;
  std::size_t combinations = 0, possible = 0;
  std::int64_t nearest_bytes = 0;  ///< least memory of those that do not fit; 0: all fit
  std::size_t best = 0;            ///< ways that were run in trains, and the scenario's own
};

/// Reads the scenario of the line with its settings. Throws InputErrors where it has no job of training that
/// can be spread.
[[nodiscard]] PlanTask read_plan_task(const CommandLine& line, const Registry& registry);

/// All that fits by formula, the best in trains, as the line asks. Collective; every rank has the result.
[[nodiscard]] PlanSearch search_plans(const PlanTask& task, const Registry& registry, const CommandLine& line,
                                      const MpiSession& mpi);

}  // namespace lightrail

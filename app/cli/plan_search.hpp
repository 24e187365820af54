#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/cli/plan_task.hpp"
#include "app/cli/stages.hpp"
#include "app/plan/candidates.hpp"
#include "app/registry/registry.hpp"

namespace lightrail {

/// A way to spread a model over a cluster that fits, or the scenario's own.
struct Way {
  PlanAttributes plan;  ///< empty: as the scenario has it
  std::int64_t memory_bytes = 0;
  std::int64_t estimate_ps = -1;                 ///< of a step, by small runs (plan_estimate.hpp); -1: none
  std::int64_t formula_ps = -1, trains_ps = -1;  ///< of the first step; -1: not run, or refused

  /// As fine as it was run.
  [[nodiscard]] double seconds() const {
    return 1e-12 * static_cast<double>(trains_ps >= 0 ? trains_ps : formula_ps);
  }
};

/// What was found: the fastest way first.
struct PlanSearch {
  std::vector<Way> ways;
  std::size_t combinations = 0, possible = 0;
  std::int64_t nearest_bytes = 0;  ///< least memory of those that do not fit; 0: all fit
  std::size_t fitting = 0, estimated = 0;
  std::size_t best = 0;  ///< ways that were run in trains, and the scenario's own
  double longest_s = 0;  ///< that one left out for --longest was expected to take in trains [s]; 0: none was
};

/// All that fits by estimate, the best of it by formula, the best of that in trains, as the line asks.
/// Collective; every rank has the result.
[[nodiscard]] PlanSearch search_plans(const PlanTask& task, const Registry& registry, const CommandLine& line,
                                      const MpiSession& mpi);

}  // namespace lightrail

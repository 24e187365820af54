#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/cli/plan_estimate.hpp"
#include "app/cli/plan_task.hpp"
#include "app/cli/stages.hpp"
#include "app/registry/registry.hpp"

namespace lightrail {

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

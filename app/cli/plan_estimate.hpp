#pragma once
#include <cstdint>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/cli/plan_task.hpp"
#include "app/cli/stages.hpp"
#include "app/plan/candidates.hpp"
#include "app/plan/estimate.hpp"
#include "app/registry/registry.hpp"

namespace lightrail {

/// A way to spread a model over a cluster that fits, or the scenario's own.
struct Way {
  PlanAttributes plan;  ///< empty: as the scenario has it
  std::int64_t memory_bytes = 0;
  PlanShape shape;
  std::int64_t estimate_ps = -1;                 ///< of a step, by estimate_plans(); -1: none
  std::int64_t formula_ps = -1, trains_ps = -1;  ///< of the first step; -1: not run, or refused

  /// As fine as it was run.
  [[nodiscard]] double seconds() const {
    return 1e-12 * static_cast<double>(trains_ps >= 0 ? trains_ps : formula_ps);
  }
};

/// Gives each way its estimate, from small jobs of each way to cut a layer (app/plan/estimate.hpp), run by
/// formula on all ranks; it has none where one of these is refused. Collective; every rank has the result.
void estimate_plans(const PlanTask& task, std::vector<Way>& ways, const Registry& registry,
                    const CommandLine& line, const MpiSession& mpi);

}  // namespace lightrail

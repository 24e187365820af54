#pragma once
#include <cstdint>
#include <exception>

#include "app/cli/command_line.hpp"
#include "app/cli/plan_task.hpp"
#include "app/cli/stages.hpp"
#include "app/plan/candidates.hpp"
#include "app/registry/registry.hpp"

namespace lightrail {

/// The first step by formula [ps], on this rank alone; -1: the plan is refused when it meets the system.
/// `refusal`: then why, if it is null. `layers`: of a model that is cut to so many; 0: as it is.
[[nodiscard]] std::int64_t step_by_formula(const PlanTask& task, const PlanAttributes& plan,
                                           std::int64_t layers, const Registry& registry, CommandLine line,
                                           std::exception_ptr& refusal);

struct TrainsRun {
  std::int64_t step_ps = -1;  ///< -1: not run
  double expected_s = 0;  ///< wall time that it was expected to take, where that is longer than --longest [s]
};
/// The same in trains, on all ranks. Collective.
[[nodiscard]] TrainsRun step_in_trains(const PlanTask& task, const PlanAttributes& plan,
                                       const Registry& registry, CommandLine line, const MpiSession& mpi);

}  // namespace lightrail

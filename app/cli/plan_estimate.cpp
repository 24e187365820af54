#include "app/cli/plan_estimate.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <string>

#include "app/cli/plan_runs.hpp"

namespace lightrail {

std::vector<std::int64_t> estimate_plans(const PlanTask& task, const std::vector<ShapedPlan>& plans,
                                         const Registry& registry, const CommandLine& line,
                                         const MpiSession& mpi) {
  // The first plan of each unit stands for it.
  std::map<std::string, std::size_t> unit_index;
  std::vector<const PlanAttributes*> units;
  for (const ShapedPlan& each : plans)
    if (unit_index.emplace(unit_of(each.plan), units.size()).second) units.push_back(&each.plan);
  const UnitJobs jobs = unit_jobs_of(task.model);
  std::vector<UnitSteps> steps(units.size(), {{{-1, -1}, {-1, -1}}});
  on_every_rank(mpi, [&] {
    const auto ranks = static_cast<std::size_t>(mpi.size());
    for (auto unit = static_cast<std::size_t>(mpi.rank()); unit < units.size(); unit += ranks) {
      std::exception_ptr refusal;
      for (std::size_t i : {0u, 1u})
        for (std::size_t j : {0u, 1u}) {
          if (refusal) break;
          const PlanAttributes plan = unit_plan(*units[unit], task.gpus, UnitJobs::micro_batches[j]);
          steps[unit][i][j] = i == 1 && jobs.layers[0] == jobs.layers[1]
                                  ? steps[unit][0][j]
                                  : step_by_formula(task, plan, jobs.layers[i], registry, line, refusal);
        }
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, steps.data(), static_cast<int>(4 * steps.size()), MPI_INT64_T, MPI_MAX,
                mpi.comm());
  std::vector<std::int64_t> estimates;
  for (const ShapedPlan& each : plans) {
    const UnitSteps& unit = steps[unit_index.at(unit_of(each.plan))];
    const bool is_refused = std::any_of(unit.begin(), unit.end(), [](const auto& row) {
      return std::any_of(row.begin(), row.end(), [](std::int64_t step) { return step < 0; });
    });
    estimates.push_back(is_refused ? -1 : std::llround(estimated_step(each.shape, unit_times(jobs, unit))));
  }
  return estimates;
}

}  // namespace lightrail

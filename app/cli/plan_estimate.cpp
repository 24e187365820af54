#include "app/cli/plan_estimate.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <map>
#include <string>

#include "app/cli/plan_runs.hpp"

namespace lightrail {

void estimate_plans(const PlanTask& task, std::vector<Way>& ways, const Registry& registry,
                    const CommandLine& line, const MpiSession& mpi) {
  // The first plan of each unit stands for it.
  std::map<std::string, std::size_t> unit_index;
  std::vector<const PlanAttributes*> units;
  std::vector<std::size_t> unit_of_way;
  for (const Way& way : ways) {
    const auto [it, is_new] = unit_index.emplace(unit_of(way.plan), units.size());
    if (is_new) units.push_back(&way.plan);
    unit_of_way.push_back(it->second);
  }
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
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const UnitSteps& unit = steps[unit_of_way[i]];
    const bool is_refused = std::any_of(unit.begin(), unit.end(), [](const auto& row) {
      return std::any_of(row.begin(), row.end(), [](std::int64_t step) { return step < 0; });
    });
    if (!is_refused)
      ways[i].estimate_ps = std::llround(estimated_step(ways[i].shape, unit_times(jobs, unit)));
  }
}

}  // namespace lightrail

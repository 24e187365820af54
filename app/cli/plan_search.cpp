#include "app/cli/plan_search.hpp"

#include <mpi.h>

#include <algorithm>
#include <exception>
#include <string>

#include "app/cli/plan_estimate.hpp"
#include "app/cli/plan_runs.hpp"
#include "app/plan/fit.hpp"

namespace lightrail {
namespace {

/// What fits, in the order of the candidates.
PlanSearch find_ways(const PlanTask& task, const AlgorithmRegistry& algorithms, const CommandLine& line) {
  PlanSearch search;
  PlanSpace space{task.gpus,
                  task.domain,
                  task.model.layers,
                  task.model.experts,
                  task.own.sequence,
                  task.own.cp,
                  value_or(task.workload(), "recompute", "none"),
                  value_or(task.workload(), "recompute-modules", "none"),
                  task.own.edges_count};
  const std::vector<PlanAttributes> all = plan_candidates(space);
  search.combinations = all.size();
  for (const PlanAttributes& plan : all) {
    const PlanFit fit = fit_plan(with_plan(task.workload(), plan), task.model, task.gpus, algorithms);
    if (!fit.refused.empty()) continue;
    ++search.possible;
    if (fit.memory_bytes <= task.memory_bytes - line.reserve_bytes)
      search.ways.push_back({plan, fit.memory_bytes, fit.shape});
    else if (search.nearest_bytes == 0 || fit.memory_bytes < search.nearest_bytes)
      search.nearest_bytes = fit.memory_bytes;
  }
  search.fitting = search.ways.size();
  return search;
}

/// Leaves the `most` fastest by estimate; those without one come last.
void keep_best(PlanSearch& search, std::size_t most) {
  std::stable_sort(search.ways.begin(), search.ways.end(), [](const Way& a, const Way& b) {
    return a.estimate_ps >= 0 && (b.estimate_ps < 0 || a.estimate_ps < b.estimate_ps);
  });
  if (search.ways.size() > most) search.ways.resize(most);
}

/// Runs every way by formula, each on one rank, and leaves out what is refused; the fastest come first.
void run_by_formula(const PlanTask& task, const Registry& registry, const CommandLine& line,
                    const MpiSession& mpi, std::vector<Way>& ways) {
  const bool any_fits =
      std::any_of(ways.begin(), ways.end(), [](const Way& way) { return !way.plan.empty(); });
  // Every rank has its share of them; the others' are -1 here.
  std::vector<std::int64_t> steps(ways.size(), -1);
  std::exception_ptr refusal;
  on_every_rank(mpi, [&] {
    for (auto i = static_cast<std::size_t>(mpi.rank()); i < ways.size();
         i += static_cast<std::size_t>(mpi.size()))
      steps[i] = step_by_formula(task, ways[i].plan, 0, registry, line, refusal);
  });
  MPI_Allreduce(MPI_IN_PLACE, steps.data(), static_cast<int>(steps.size()), MPI_INT64_T, MPI_MAX, mpi.comm());
  for (std::size_t i = 0; i < ways.size(); ++i) ways[i].formula_ps = steps[i];
  std::erase_if(ways, [](const Way& way) { return way.formula_ps < 0; });
  // What is wrong with every plan is a mistake of the scenario.
  if (any_fits && ways.empty()) agree(mpi, mpi.rank() == 0 ? refusal : std::exception_ptr());
  std::stable_sort(ways.begin(), ways.end(),
                   [](const Way& a, const Way& b) { return a.formula_ps < b.formula_ps; });
}

}  // namespace

PlanSearch search_plans(const PlanTask& task, const Registry& registry, const CommandLine& line,
                        const MpiSession& mpi) {
  PlanSearch search = on_every_rank(mpi, [&] { return find_ways(task, registry.algorithms, line); });
  estimate_plans(task, search.ways, registry, line, mpi);
  search.estimated = static_cast<std::size_t>(std::count_if(
      search.ways.begin(), search.ways.end(), [](const Way& way) { return way.estimate_ps >= 0; }));
  keep_best(search, line.most);
  const PlanFit own = fit_plan(task.workload(), task.model, task.gpus, registry.algorithms);
  if (own.refused.empty()) search.ways.push_back({{}, own.memory_bytes, own.shape});
  std::vector<Way>& ways = search.ways;
  run_by_formula(task, registry, line, mpi, ways);
  search.best = std::min<std::size_t>(line.best, ways.size());
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (i < search.best || ways[i].plan.empty()) {
      const TrainsRun run = step_in_trains(task, ways[i].plan, registry, line, mpi);
      ways[i].trains_ps = run.step_ps;
      search.longest_s = std::max(search.longest_s, run.expected_s);
    }
  return search;
}

}  // namespace lightrail

#include "app/cli/plan_runs.hpp"

#include <mpi.h>

#include <optional>
#include <string>
#include <utility>

#include "app/cli/build_model.hpp"
#include "app/cli/expected_events.hpp"
#include "app/cli/run_command.hpp"
#include "app/cli/run_detail.hpp"
#include "app/cli/step_span.hpp"
#include "app/plan/fit.hpp"

namespace lightrail {
namespace {

ReadScenario scenario_of(const PlanTask& task, const PlanAttributes& plan, std::int64_t layers,
                         Detail detail) {
  ReadScenario scenario = with_detail(without_formulas(without_stretches(task.scenario)), detail);
  for (Element& child : scenario.root.children) {
    if (child.name != "workload") continue;
    child = with_plan(std::move(child), plan);
    if (task.steps_over) child.set("step-over", "pipeline");
    for (Element& model : child.children)
      if (model.name == "model" && layers > 0) model.set("layers", std::to_string(layers));
  }
  return scenario;
}

}  // namespace

std::int64_t step_by_formula(const PlanTask& task, const PlanAttributes& plan, std::int64_t layers,
                             const Registry& registry, CommandLine line, std::exception_ptr& refusal) {
  try {
    const Model model =
        model_to_run(build_model(scenario_of(task, plan, layers, Detail::formula), registry, line));
    const StepRun run = run_step(model, make_partition(model, 1, line.partition), line.run, MPI_COMM_SELF);
    return run.step.gpus == 0 ? -1 : run.length().count();
  } catch (const InputErrors&) {
    if (!refusal) refusal = std::current_exception();
    return -1;
  }
}

TrainsRun step_in_trains(const PlanTask& task, const PlanAttributes& plan, const Registry& registry,
                         CommandLine line, const MpiSession& mpi) {
  std::optional<Model> model;
  std::optional<Partition> partition;
  double expected = 0;
  on_every_rank(mpi, [&] {
    model.emplace(model_to_run(build_model(scenario_of(task, plan, 0, Detail::trains), registry, line)));
    expected = expected_events(*model).seconds(mpi.size());
    if (expected <= line.longest_rung_s)
      partition.emplace(make_partition(*model, mpi.size(), line.partition));
  });
  if (!partition) return {-1, expected};
  const StepRun run = run_step(*model, *partition, line.run, mpi.comm());
  return {run.step.gpus == 0 ? -1 : run.length().count(), 0};
}

}  // namespace lightrail

#include "app/cli/plan_search.hpp"

#include <mpi.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "app/cli/build_model.hpp"
#include "app/cli/first_step.hpp"
#include "app/cli/run_command.hpp"
#include "app/cli/run_detail.hpp"
#include "app/cli/slow_run.hpp"
#include "app/plan/fit.hpp"
#include "components/gpu/gpu_spec.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {
namespace {

void check_workload(const ReadScenario& scenario) {
  const Element* workload = scenario.root.child("workload");
  const Attribute* kind = workload ? workload->find("kind") : nullptr;
  if (!kind || kind->value != "training" || !workload->child("model"))
    throw InputErrors((workload ? workload : &scenario.root)
                          ->error("lightrail plan needs a scenario with <workload kind=\"training\"> and its "
                                  "<model>"));
  if (scenario.root.children_named("workload").size() > 1 || workload->find("fold"))
    throw InputErrors(
        workload->error("lightrail plan spreads one job over all GPUs: no second <workload>, no "
                        "fold"));
}

/// The system as it is built without its job.
Model system_of(ReadScenario scenario, const Registry& registry, CommandLine line) {
  std::erase_if(scenario.root.children, [](const Element& child) { return child.name == "workload"; });
  return build_model(scenario, registry, line);
}

std::string own_value(const Element& workload, const char* attribute, const char* usual) {
  const Attribute* found = workload.find(attribute);
  return found ? found->value : usual;
}

PlanSearch find_ways(const PlanTask& task, const AlgorithmRegistry& algorithms, const CommandLine& line) {
  PlanSearch search;
  PlanSpace space{task.gpus,
                  task.domain,
                  task.model.layers,
                  task.model.experts,
                  task.own.sequence,
                  task.own.cp,
                  own_value(task.workload(), "recompute", "none"),
                  own_value(task.workload(), "recompute-modules", "none")};
  const std::vector<PlanAttributes> all = plan_candidates(space);
  search.combinations = all.size();
  for (const PlanAttributes& plan : all) {
    const PlanFit fit = fit_plan(with_plan(task.workload(), plan), task.model, task.gpus, algorithms);
    if (!fit.refused.empty()) continue;
    ++search.possible;
    if (fit.memory_bytes <= task.memory_bytes - line.reserve_bytes)
      search.ways.push_back({plan, fit.memory_bytes, fit.rough});
    else if (search.nearest_bytes == 0 || fit.memory_bytes < search.nearest_bytes)
      search.nearest_bytes = fit.memory_bytes;
  }
  std::stable_sort(search.ways.begin(), search.ways.end(),
                   [](const Way& a, const Way& b) { return a.rough < b.rough; });
  if (search.ways.size() > line.most) search.ways.resize(line.most);
  const PlanFit own = fit_plan(task.workload(), task.model, task.gpus, algorithms);
  if (own.refused.empty()) search.ways.push_back({{}, own.memory_bytes, own.rough});
  return search;
}

ReadScenario scenario_of(const PlanTask& task, const Way& way, Detail detail) {
  ReadScenario scenario = with_detail(task.scenario, detail);
  for (Element& child : scenario.root.children)
    if (child.name == "workload") child = with_plan(std::move(child), way.plan);
  return scenario;
}

/// The first step by formula, on this rank alone; -1: the plan is refused when it meets the system.
/// `refusal`: then why, for the first one.
std::int64_t by_formula(const PlanTask& task, const Way& way, const Registry& registry, CommandLine line,
                        std::exception_ptr& refusal) {
  try {
    const Model model = model_to_run(build_model(scenario_of(task, way, Detail::formula), registry, line));
    const StepRun run = run_step(model, make_partition(model, 1, line.partition), line.run, MPI_COMM_SELF);
    return run.step.gpus == 0 ? -1 : run.length().count();
  } catch (const InputErrors&) {
    if (!refusal) refusal = std::current_exception();
    return -1;
  }
}

/// The same in trains, on all ranks; -1: it would take longer than --longest.
std::int64_t in_trains(const PlanTask& task, const Way& way, const Registry& registry, CommandLine line,
                       const MpiSession& mpi) {
  std::optional<Model> model;
  std::optional<Partition> partition;
  on_every_rank(mpi, [&] {
    model.emplace(model_to_run(build_model(scenario_of(task, way, Detail::trains), registry, line)));
    if (expected_seconds(*model, mpi.size()) <= line.longest_rung_s)
      partition.emplace(make_partition(*model, mpi.size(), line.partition));
  });
  if (!partition) return -1;
  const StepRun run = run_step(*model, *partition, line.run, mpi.comm());
  return run.step.gpus == 0 ? -1 : run.length().count();
}

}  // namespace

PlanTask read_plan_task(const CommandLine& line, const Registry& registry) {
  PlanTask task;
  task.scenario = load_to_build(line);
  if (!task.scenario.mistakes.empty()) throw InputErrors(task.scenario.mistakes);
  check_workload(task.scenario);
  const Model system = system_of(task.scenario, registry, line);
  const auto& book = *system.resource<AddressBook>();
  task.gpus = book.gpu_count;
  for (std::uint32_t gpu = 0; gpu < book.gpu_count; ++gpu) {
    const auto* spec = dynamic_cast<const GpuSpec*>(
        system.specs[system.components[book.component_of[gpu].value].spec].get());
    task.domain += book[EndpointId{gpu}].server == book[EndpointId{0}].server;
    if (spec && (task.memory_bytes == 0 || spec->memory.value < task.memory_bytes))
      task.memory_bytes = spec->memory.value;
  }
  ErrorList errors;
  read_transformer(*task.workload().child("model"), task.model, errors);
  training_parameters(registry.algorithms).parse(task.workload(), task.own, errors);
  errors.throw_if_any();
  const auto* spec =
      dynamic_cast<const GpuSpec*>(system.specs[system.components[book.component_of[0].value].spec].get());
  if (spec)
    for (const GemmSpec& gemm : spec->compute.gemms)
      if (gemm.dtype == task.own.dtype) task.peak = gemm.peak;
  if (const auto* cost = system.resource<NetworkCost>()) task.network = *cost;
  return task;
}

PlanSearch search_plans(const PlanTask& task, const Registry& registry, const CommandLine& line,
                        const MpiSession& mpi) {
  PlanSearch search = on_every_rank(mpi, [&] { return find_ways(task, registry.algorithms, line); });
  std::vector<Way>& ways = search.ways;
  // Every rank has its share of them; the others' are -1 here.
  const bool any_fits =
      std::any_of(ways.begin(), ways.end(), [](const Way& way) { return !way.plan.empty(); });
  std::vector<std::int64_t> steps(ways.size(), -1);
  std::exception_ptr refusal;
  on_every_rank(mpi, [&] {
    for (auto i = static_cast<std::size_t>(mpi.rank()); i < ways.size();
         i += static_cast<std::size_t>(mpi.size()))
      steps[i] = by_formula(task, ways[i], registry, line, refusal);
  });
  MPI_Allreduce(MPI_IN_PLACE, steps.data(), static_cast<int>(steps.size()), MPI_INT64_T, MPI_MAX, mpi.comm());
  for (std::size_t i = 0; i < ways.size(); ++i) ways[i].formula_ps = steps[i];
  std::erase_if(ways, [](const Way& way) { return way.formula_ps < 0; });
  // What is wrong with every plan is a mistake of the scenario.
  if (any_fits && ways.empty()) agree(mpi, mpi.rank() == 0 ? refusal : std::exception_ptr());
  std::stable_sort(ways.begin(), ways.end(),
                   [](const Way& a, const Way& b) { return a.formula_ps < b.formula_ps; });
  search.best = std::min<std::size_t>(line.best, ways.size());
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (i < search.best || ways[i].plan.empty())
      ways[i].trains_ps = in_trains(task, ways[i], registry, line, mpi);
  return search;
}

}  // namespace lightrail

#include "app/cli/plan_task.hpp"

#include <string>
#include <utility>

#include "app/cli/build_model.hpp"
#include "app/cli/run_detail.hpp"
#include "components/gpu/gpu_spec.hpp"
#include "engine/base/error.hpp"
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
  if (scenario.root.children_named("workload").size() > 1 || value_or(*workload, "fold", "1") != "1")
    throw InputErrors(
        workload->error("lightrail plan spreads one job over all GPUs: no second <workload>, no "
                        "fold"));
  for (const char* name : {"checkpoint", "data"})
    if (const Element* child = workload->child(name))
      throw InputErrors(child->error(std::string("lightrail plan compares plans by formula, which says "
                                                 "nothing about storage: leave <") +
                                     name + "> out"));
}

/// The system as it is built without its job.
Model system_of(ReadScenario scenario, const Registry& registry, CommandLine line) {
  std::erase_if(scenario.root.children, [](const Element& child) { return child.name == "workload"; });
  return build_model(without_formulas(std::move(scenario)), registry, line);
}

bool may_step_over(const PlanTask& task, const AlgorithmRegistry& algorithms) {
  Element workload = task.workload();
  if (task.scenario.root.child("faults") || value_or(workload, "step-over", "none") != "none") return false;
  workload.set("step-over", "pipeline");
  TrainingPlan plan;
  ErrorList errors;
  read_training_plan(workload, task.model, task.gpus, algorithms, plan, errors);
  return errors.size() == 0;
}

}  // namespace

std::string value_or(const Element& element, const char* attribute, const char* usual) {
  const Attribute* found = element.find(attribute);
  return found ? found->value : usual;
}

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
  task.steps_over = may_step_over(task, registry.algorithms);
  if (const auto* cost = system.resource<NetworkCost>()) task.network = *cost;
  return task;
}

}  // namespace lightrail

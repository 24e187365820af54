#include "app/cli/read_recall.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "app/cli/run_detail.hpp"
#include "components/nvswitch/nvswitch.hpp"
#include "network/circuits/has_circuits.hpp"
#include "network/health/health_table.hpp"
#include "network/port/line_errors.hpp"
#include "network/port/train_stretches.hpp"
#include "workloads/collective/recall_plan.hpp"
#include "workloads/program/program.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {
namespace {

/// Of the NVSwitches and the lines to them; empty: there is nothing in the way.
std::string obstacle_of_nvlinks(const Model& model) {
  bool has_any = false;
  for (const ComponentRecord& component : model.components) {
    const auto* spec = dynamic_cast<const NvswitchSpec*>(model.specs[component.spec].get());
    if (!spec) continue;
    has_any = true;
    if (spec->separate_planes() > 1)
      return "NVSwitches with plane-hash=\"flow\": chips have lines of their own";
    for (std::uint32_t port = 0; port < component.port_count; ++port) {
      const LinkId out = model.ports[component.first_port + port].out;
      if (out.is_valid() &&
          !LineErrors::is_clean(model.link_classes[model.links[out.value].link_class].light))
        return "NVLinks of light that errs: no collective meets the same twice";
    }
  }
  return has_any ? "" : "servers without NVSwitches: only collectives in one of them are recalled";
}

std::string obstacle(const Model& model) {
  switch (model.resource<RunDetail>()->detail) {
    case Detail::trains:
    case Detail::packets:
      break;
    case Detail::messages:
      return "detail=\"messages\": a collective has few events there";
    case Detail::formula:
      return "detail=\"formula\": no message is sent there";
  }
  const auto* set = model.resource<ProgramSet>();
  if (!set || std::all_of(set->programs.begin(), set->programs.end(),
                          [](const Program& program) { return program.ops.empty(); }))
    return "a scenario without a job";
  if (std::any_of(set->programs.begin(), set->programs.end(),
                  [](const Program& program) { return program.steps_over(); }))
    return "step-over=\"pipeline\": what was sent is read in the midst of collectives there";
  if (model.resource<TrainStretches>()) return "<stretch>: the same collective has other trains there";
  if (model.resource<ServingPlan>()) return "inference: a scheduler decides what runs beside what";
  if (has_circuits(model)) return "circuits: a GPU's NVLink carries what others send by its NIC";
  if (const auto* health = model.resource<HealthTable>(); health && !health->is_empty())
    return "<faults>: what fails, fails at times of its own";
  return obstacle_of_nvlinks(model);
}

}  // namespace

ModelPart read_recall(Recall recall, const Element* run, const Model& model, ErrorList& errors) {
  if (recall == Recall::none || !errors.is_empty()) return {};
  if (const std::string what = obstacle(model); !what.empty()) {
    errors.add(run->error_at("recall", "<run> recall=\"collectives\" with " + what));
    return {};
  }
  return make_recall_plan(model);
}

}  // namespace lightrail

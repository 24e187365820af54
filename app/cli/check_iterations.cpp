#include "app/cli/check_iterations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "components/gpu/compute/kernel_variation.hpp"
#include "engine/scenario/units.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {
namespace {

bool has_control_jitter(const Element& ocs) {
  const Attribute* text = ocs.find("control-jitter");
  SimTime mean{};
  return text && parse_value(text->value, mean).empty() && mean > SimTime{0};
}

/// The first element below `root`, by depth, that makes iterations differ, and why; null: there is none.
const Element* find_disturbance(const Element& root, std::string& why) {
  for (const Element& child : root.children) {
    if (child.name == "goodput") continue;  // weeks that are played over the steps
    if (child.name == "faults" || child.name == "fault")
      why = "which come at times of their own";
    else if (child.name == "schedule")
      why = "whose circuits change at times of their own";
    else if (child.name == "ecn")
      why = "whose marks are drawn anew in each iteration";
    else if (child.name == "watchdog")
      why = "whose storms begin and end at times of their own";
    else if (child.name == "ocs" && has_control_jitter(child))
      why = "with control-jitter, which is drawn anew in each iteration";
    else if (const Element* found = find_disturbance(child, why))
      return found;
    else
      continue;
    return &child;
  }
  return nullptr;
}

std::string obstacle_of_variation(const Model& model) {
  const auto* variation = model.resource<KernelVariation>();
  if (!variation) return "";
  if (variation->jitter > 0) return "<variation> with jitter: no iteration repeats another one";
  if (variation->noise_interval > SimTime{0})
    return "<variation> with noise: no iteration repeats another one";
  return "";
}

std::string obstacle_of_job(const ProgramSet& set) {
  if (set.host.collects_every > 1)
    return fmt::format("collect-every = {}: iterations with and without a garbage collection",
                       set.host.collects_every);
  for (const Program& program : set.programs) {
    if (program.next != itself) return "a <gate> with over-iterations: every iteration has loads of its own";
    for (const Op& op : program.ops) {
      if (op.is_once) return "what only the first iteration reads (restore)";
      if (op.every > 1)
        return fmt::format(
            "what takes place in one of {} iterations (a checkpoint, evaluation; expected: in each)",
            op.every);
    }
  }
  return "";
}

}  // namespace

void check_stepped_iterations(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const auto* set = model.resource<ProgramSet>();
  const Element* workload = scenario.root.child("workload");
  if (!workload || !set || set->stepped_iterations.skipped == 0) return;
  const auto refuse = [&](const std::string& what) {
    errors.add(workload->error_at("step-over", "<workload> step-over=\"iterations\" with " + what));
  };
  std::string why;
  if (const Element* found = find_disturbance(scenario.root, why))
    refuse(fmt::format("<{}>, {}", found->name, why));
  for (const std::string& what : {obstacle_of_variation(model), obstacle_of_job(*set)})
    if (!what.empty()) refuse(what);
}

}  // namespace lightrail

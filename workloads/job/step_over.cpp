#include "workloads/job/step_over.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/scenario/units.hpp"

namespace lightrail {
namespace {

void complain(const Attribute& at, const std::string& problem, ErrorList& errors) {
  errors.add({at.file, at.line, fmt::format("<workload> attribute '{}': {}", at.name, problem)});
}

void check_choice(const Attribute& at, ErrorList& errors) {
  std::vector<std::string> names;
  for (const auto& [name, what] : step_over_names()) names.push_back(name);
  if (std::find(names.begin(), names.end(), at.value) == names.end())
    complain(at, invalid_choice(at.value, names), errors);
}

}  // namespace

const std::vector<std::pair<std::string, StepOver>>& step_over_names() {
  static const std::vector<std::pair<std::string, StepOver>> names{{"none", StepOver::none},
                                                                   {"pipeline", StepOver::pipeline},
                                                                   {"iterations", StepOver::iterations},
                                                                   {"pipeline iterations", StepOver::both}};
  return names;
}

StepOver step_over_of(const Element& workload) {
  const Attribute* text = workload.find("step-over");
  for (const auto& [name, what] : step_over_names())
    if (text && text->value == name) return what;
  return StepOver::none;
}

void step_over_iterations(const Element& workload, bool is_training, ProgramSet& programs,
                          ErrorList& errors) {
  const Attribute *text = workload.find("step-over"), *settling = workload.find("settling-iterations");
  const StepOver what = step_over_of(workload);
  if (text) check_choice(*text, errors);
  if (has_pipeline(what) && !is_training)
    complain(*text, fmt::format("'{}' (only kind 'training' has a pipeline)", text->value), errors);
  SteppedIterations by;
  std::string problem;
  if (settling) {
    problem = parse_value(settling->value, by.settling);
    if (problem.empty() && (by.settling < 1 || by.settling > 100'000))
      problem = fmt::format("'{}' is out of range (1 ... 100000)", settling->value);
    if (problem.empty() && !has_iterations(what)) problem = "it needs step-over=\"iterations\"";
  }
  if (!problem.empty()) return complain(*settling, problem, errors);
  if (!has_iterations(what) || programs.iterations <= by.simulated()) return;
  by.skipped = programs.iterations - by.simulated();
  programs.iterations = by.simulated();
  programs.stepped_iterations = by;
}

std::string stepped_iterations_note(const Element& workload, const ProgramSet& programs) {
  if (!has_iterations(step_over_of(workload))) return "";
  const SteppedIterations& by = programs.stepped_iterations;
  if (by.skipped == 0)
    return fmt::format("step-over=\"iterations\" finds nothing to leave out of {} iterations (it needs {})",
                       programs.iterations, by.simulated() + 1);
  return fmt::format(
      "{} of {} iterations are stepped over: steps, exposed, traffic{} have all of them; every other table "
      "what "
      "was simulated (docs/scaling.md)",
      by.skipped, by.skipped + programs.iterations,
      has_pipeline(step_over_of(workload)) ? " and traffic_matrix"
                                           : ", traffic_matrix, storage's traffic and power");
}

}  // namespace lightrail

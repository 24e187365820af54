#include "app/cli/describe_scenario.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "app/cli/build_model.hpp"
#include "app/cli/run_command.hpp"
#include "app/cli/scenario_text.hpp"
#include "app/cli/sweep.hpp"
#include "fabrics/system/system_text.hpp"
#include "workloads/program/groups.hpp"

namespace lightrail {
namespace {

/// <name a="1" b="2">, as it stands after variables and catalogue.
std::string tag_text(const Element& element) {
  std::string text = "<" + element.name;
  for (const Attribute& a : element.attributes) text += fmt::format(" {}=\"{}\"", a.name, a.value);
  return text + ">";
}

std::string variables_text(const Scenario& scenario) {
  std::string text;
  for (const auto& [name, value] : scenario.variables) text += fmt::format("  {:<18} {}\n", name, value);
  return text.empty() ? "" : "variables (--set NAME=VALUE)\n" + text + "\n";
}

std::string sweep_text(const Scenario& scenario) {
  std::vector<std::string> varied;
  for (const Element* sweep : scenario.root.children_named("sweep"))
    for (const Element* vary : sweep->children_named("vary")) varied.push_back(vary->find("name")->value);
  if (varied.empty()) return "";
  return fmt::format("sweep              {} points of {}\n", sweep_points(scenario).size(),
                     fmt::join(varied, ", "));
}

std::string groups_text(const Model& model) {
  const auto* groups = model.resource<GroupTable>();
  std::vector<std::string> names;
  for (std::uint32_t k = 0; groups && k < groups->kind_count(); ++k)
    names.push_back(groups->kind(GroupKindId{k}).name);
  return names.empty() ? "" : fmt::format("groups             {}\n", fmt::join(names, ", "));
}

std::string output_text(const CommandLine& line, const Model& model) {
  const auto* selection = model.resource<OutputSelection>();
  if (!selection) return "";
  std::vector<std::string> tables;
  for (std::size_t table = 0; table < selection->by_table.size(); ++table)
    if (selection->by_table[table].is_on) tables.push_back(model.tables->schemas()[table].name);
  return fmt::format("records            {}\nevery              {} (simulated)\nresult             {}\n",
                     fmt::join(tables, ", "), format_time(selection->interval), result_path(line, model));
}

}  // namespace

std::string described_scenario(CommandLine line) {
  const Registry registry = load_registry(line.plugins);
  const ReadScenario scenario = load_to_build(line);
  const Model model = build_model(scenario, registry, line);
  const Attribute* name = scenario.root.find("name");
  std::string text = fmt::format("scenario           {}\n\n", name ? name->value : scenario.path);
  text += variables_text(scenario) + map_text(model) + "\n" + groups_text(model);
  for (const char* part : {"fabric", "network", "nccl", "workload", "faults", "variation"})
    for (const Element* element : scenario.root.children_named(part))
      text += fmt::format("{:<18} {}\n", part, tag_text(*element));
  return text + sweep_text(scenario) + output_text(line, model) + fabric_text(model);
}

}  // namespace lightrail

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/cli/describe_model.hpp"
#include "app/cli/describe_plugin.hpp"
#include "app/cli/describe_scenario.hpp"
#include "app/cli/describe_tables.hpp"
#include "app/cli/element_places.hpp"
#include "app/cli/known_elements.hpp"
#include "app/cli/xsd.hpp"
#include "fabrics/system/bill_of_materials.hpp"
#include "workloads/program/collective_names.hpp"

namespace lightrail {
namespace {

std::string parameter_text(const ParameterDoc& p) {
  std::string text = fmt::format("  {:<22} {:<12} ", p.name, p.type);
  if (p.is_required)
    text += "required";
  else
    text += "default " + p.default_value;
  if (!p.range.empty()) text += ", " + p.range;
  if (!p.choices.empty()) {
    text += ", one of";
    for (const std::string& c : p.choices) text += " " + c;
  }
  return text + "\n" + std::string(37, ' ') + p.doc + "\n";
}

std::string element_text(const ElementDoc& element) {
  std::string text = "<" + element.name + ">\n";
  for (const ParameterDoc& p : element.parameters) text += parameter_text(p);
  return text + "\n";
}

std::string kind_text(const ComponentKind& kind) {
  std::string text = "<" + element_of_kind(kind.name) + ">  " + kind.doc + "\n";
  for (const ParameterDoc& p : kind.parameters) text += parameter_text(p);
  for (const PortDoc& p : kind.ports)
    text += fmt::format("  port {:<17} {:<12} {}\n", p.name, p.count, p.doc);
  for (const StatisticDoc& s : kind.statistics) text += fmt::format("  table {:<29} {}\n", s.table, s.doc);
  return text + "\n";
}

/// Every algorithm of collectives: its name, what it serves, a sentence.
std::string algorithms_text(const AlgorithmRegistry& algorithms) {
  std::string text =
      "collective algorithms  what 'algorithm' of <nccl>, <op> and <workload> may name beside auto\n";
  for (std::size_t id = 1; algorithms.contains(static_cast<Algorithm>(id)); ++id) {
    const CollectiveAlgorithm& algorithm = algorithms[static_cast<Algorithm>(id)];
    std::vector<std::string> served;
    for (const auto& [name, type] : collective_names())
      if (algorithm.serves(type)) served.push_back(name);
    text += fmt::format("  {:<22} {}\n{:<25}{}\n", algorithm.name(), fmt::join(served, ", "), "",
                        algorithm.doc());
  }
  return text + "\n";
}

std::string fabric_text(const FabricKind& kind) {
  std::string text = fmt::format("<fabric kind=\"{}\">  {}\n", kind.name, kind.doc);
  for (const ParameterDoc& p : kind.parameters) text += parameter_text(p);
  if (!kind.link_roles.empty())
    text += fmt::format("  {:<22} role {}\n", "<link>", fmt::join(kind.link_roles, ", "));
  return text + "\n";
}

std::string workload_text(const WorkloadKind& kind, const AlgorithmRegistry& algorithms) {
  std::string text = fmt::format("<workload kind=\"{}\">  {}\n", kind.name, kind.doc);
  for (const ParameterDoc& p : kind.parameters(algorithms)) text += parameter_text(p);
  return text + "\n";
}

std::string fabrics_text(const FabricRegistry& fabrics) {
  std::string text;
  for (const auto& kind : fabrics.kinds()) text += fabric_text(*kind);
  return text;
}

std::string workloads_text(const Registry& registry) {
  std::string text;
  for (const auto& kind : registry.workloads.kinds()) text += workload_text(*kind, registry.algorithms);
  return text;
}

/// Kinds of fabrics and workloads by their names ("training"), each with what its element always has.
std::string kind_of_element(const std::string& name, const Registry& registry) {
  for (const auto& kind : registry.workloads.kinds())
    if (kind->name == name)
      return workload_text(*kind, registry.algorithms) +
             element_text({"workload", registry.workloads.common_parameters()});
  for (const auto& kind : registry.fabrics.kinds())
    if (kind->name == name)
      return fabric_text(*kind) + element_text({"fabric", registry.fabrics.common_parameters()});
  return "";
}

std::string list_of(const std::vector<std::string>& elements) {
  return fmt::format("<{}>", fmt::join(elements, ">, <"));
}

/// An element that is not the same everywhere, place by place; empty: it is.
std::string inner_text(const std::string& name) {
  std::string text;
  for (const InnerElementDoc& inner : inner_elements()) {
    if (inner.element.name != name) continue;
    text += fmt::format("<{}> in <{}>\n", name, inner.parent);
    for (const ParameterDoc& p : inner.element.parameters) text += parameter_text(p);
    text += "\n";
  }
  return text;
}

/// Which elements the element stands in, and which stand in it.
std::string place_text(const std::string& name, const Places& places) {
  std::vector<std::string> outer;
  for (const auto& [parent, children] : places)
    if (parent != "part" && std::find(children.begin(), children.end(), name) != children.end())
      outer.push_back(parent);
  std::string text;
  if (!outer.empty() && inner_text(name).empty()) text += "  stands in " + list_of(outer) + "\n";
  if (const auto at = places.find(name); at != places.end() && name != "part")
    text += "  may hold " + list_of(at->second) + "\n";
  return text;
}

/// What can be described, in the order in which all of it is.
std::vector<std::pair<std::string, std::string>> described_texts(const Registry& registry,
                                                                 const std::vector<ElementDoc>& elements) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& kind : registry.components.kinds())
    all.emplace_back(element_of_kind(kind->name), kind_text(*kind));
  const auto kinds_end = static_cast<std::ptrdiff_t>(all.size());
  for (const ElementDoc& element : elements) {
    if (std::any_of(all.begin(), all.begin() + kinds_end,
                    [&](const auto& kind) { return kind.first == element.name; }))
      continue;
    // Of <fabric> and <workload> what all kinds have, then each kind; of <table> the tables there are.
    std::string text = inner_text(element.name);
    if (text.empty()) text = element_text(element);
    if (element.name == "fabric")
      text =
          element_text({element.name, registry.fabrics.common_parameters()}) + fabrics_text(registry.fabrics);
    if (element.name == "workload")
      text = element_text({element.name, registry.workloads.common_parameters()}) + workloads_text(registry);
    if (element.name == "table") text += tables_text(registry.tables);
    all.emplace_back(element.name, std::move(text));
  }
  const Places places = element_places(registry);
  for (auto& [name, text] : all) text.insert(text.find('\n') + 1, place_text(name, places));
  all.emplace_back("collective", algorithms_text(registry.algorithms));
  all.emplace_back("plugin", plugin_text(registry));
  return all;
}

std::string describe_text(const CommandLine& line) {
  if (!line.settings.empty() || !line.catalogue.empty())
    throw InputErrors(InputError{
        "", 0, "options --set and --catalogue have no effect on 'lightrail describe' without a scenario"});
  const Registry registry = load_registry(line.plugins);
  const std::vector<ElementDoc> elements = known_elements(registry);
  if (line.format == "xsd") return xsd_text(elements, inner_elements(), element_places(registry));
  if (line.format != "text")
    throw InputErrors(InputError{"", 0, "option --format: " + invalid_choice(line.format, {"text", "xsd"})});
  std::string text;
  std::vector<std::string> names;
  for (const auto& [name, described] : described_texts(registry, elements)) {
    if (line.positional.empty() || line.positional.front() == name) text += described;
    names.push_back(name);
  }
  if (text.empty()) text = kind_of_element(line.positional.front(), registry);
  if (text.empty())
    throw InputErrors(InputError{"", 0, "describe: " + invalid_choice(line.positional.front(), names)});
  return text;
}

/// A scenario rather than one of the names.
bool names_a_file(const CommandLine& line) {
  if (line.positional.empty()) return false;
  const std::filesystem::path name(line.positional.front());
  std::error_code error;
  return name.extension() == ".xml" || name.has_parent_path() || std::filesystem::exists(name, error);
}

/// What the network of a scenario consists of and costs.
std::string bom_text(CommandLine line) {
  if (line.positional.empty())
    throw InputErrors(
        InputError{"", 0, "describe --bom: no scenario given (lightrail describe SCENARIO --bom)"});
  const Registry registry = load_registry(line.plugins);
  ReadScenario scenario = load_to_build(line);
  Model model = build_model(scenario, registry, line);
  std::string text = bill_text(model);
  if (text.empty())
    throw InputErrors(
        scenario.root.error("the scenario has no <prices>, such as <prices catalogue=\"prices/mixnet\"/>"));
  return text;
}

}  // namespace

ExitCode describe(const CommandLine& line, const MpiSession& mpi) {
  auto text = on_every_rank(mpi, [&] {
    if (line.bom) return bom_text(line);
    if (line.positional.size() == 2) {
      if (line.positional[0] == "model") return described_model(line);
      throw InputErrors(InputError{
          "", 0,
          fmt::format("lightrail describe takes one name, got '{}' and '{}' (expected a second one "
                      "behind 'model')",
                      line.positional[0], line.positional[1])});
    }
    return names_a_file(line) ? described_scenario(line) : describe_text(line);
  });
  if (mpi.rank() == 0) std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail

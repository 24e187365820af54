#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/cli/commands.hpp"
#include "app/cli/xsd.hpp"
#include "fabrics/system/bill_of_materials.hpp"
#include "workloads/collective/algorithm_registry.hpp"
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

std::string describe_text(const CommandLine& line) {
  KindRegistry kinds = load_kinds(line.plugins);
  const AlgorithmRegistry algorithms = built_in_algorithms();
  std::vector<ElementDoc> elements = known_elements(kinds, algorithms);
  if (line.format == "xsd") return xsd_text(elements);
  if (line.format != "text")
    throw InputErrors(InputError{"", 0, "option --format: " + invalid_choice(line.format, {"text", "xsd"})});
  std::string text;
  std::vector<std::string> names;
  for (const std::string& kind : kinds.names()) names.push_back(element_of_kind(kind));
  auto is_kind = [&, count = names.size()](const std::string& name) {
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(count);
    return std::find(names.begin(), end, name) != end;
  };
  for (const auto& kind : kinds.kinds())
    if (line.positional.empty() || line.positional.front() == element_of_kind(kind->name))
      text += kind_text(*kind);
  for (const ElementDoc& element : elements) {
    if (is_kind(element.name)) continue;
    names.push_back(element.name);
    if (line.positional.empty() || line.positional.front() == element.name) text += element_text(element);
  }
  names.push_back("collective");
  if (line.positional.empty() || line.positional.front() == "collective") text += algorithms_text(algorithms);
  if (text.empty())
    throw InputErrors(InputError{"", 0, "describe: " + invalid_choice(line.positional.front(), names)});
  return text;
}

/// What the network of a scenario consists of and costs.
std::string bom_text(CommandLine line) {
  if (line.positional.empty())
    throw InputErrors(
        InputError{"", 0, "describe --bom: no scenario given (lightrail describe SCENARIO --bom)"});
  KindRegistry kinds = load_kinds(line.plugins);
  Scenario scenario = load(line);
  Model model = build_model(scenario, kinds, line);
  std::string text = bill_text(model);
  if (text.empty())
    throw InputErrors(
        scenario.root.error("the scenario has no <prices>, such as <prices catalogue=\"prices/mixnet\"/>"));
  return text;
}

}  // namespace

ExitCode describe(const CommandLine& line, const MpiSession& mpi) {
  auto text = on_every_rank(mpi, [&] { return line.bom ? bom_text(line) : describe_text(line); });
  if (mpi.rank() == 0) std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail

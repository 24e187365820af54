#include "engine/cli/sweep.hpp"

#include <cstdio>
#include <sstream>

#include "engine/cli/commands.hpp"

namespace lightrail {
namespace {

constexpr std::size_t most_points = 100'000;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> read_vary(const Element& vary, const Scenario& scenario, std::string& name, ErrorList& errors) {
  const Attribute* name_attribute = vary.find("name");
  const Attribute* values = vary.find("values");
  if (!name_attribute || !values) {
    errors.add(vary.error("<vary> needs the attributes 'name' and 'values'"));
    return {};
  }
  name = name_attribute->value;
  if (!scenario.variables.count(name)) {
    std::vector<std::string> known;
    for (const auto& [variable, value] : scenario.variables) known.push_back(variable);
    std::string near = did_you_mean(name, known);
    errors.add(vary.error("<vary> names the unknown variable '" + name + "'" +
                          (near.empty() ? "" : " (did you mean '" + near + "'?)")));
  }
  std::vector<std::string> words = words_of(values->value);
  if (words.empty()) errors.add(vary.error("<vary name=\"" + name + "\"> has no values"));
  return words;
}

}  // namespace

std::vector<std::vector<std::string>> sweep_points(const Scenario& scenario) {
  const Element* sweep = scenario.root.child("sweep");
  if (!sweep) throw InputErrors(scenario.root.error("<scenario> has no <sweep>"));
  ErrorList errors;
  std::vector<std::vector<std::string>> points{{}};
  for (const Element* vary : sweep->children_named("vary")) {
    std::string name;
    std::vector<std::string> words = read_vary(*vary, scenario, name, errors);
    errors.throw_if_any();
    if (points.size() * words.size() > most_points)
      throw InputErrors(vary->error("<sweep> has more than " + std::to_string(most_points) + " points"));
    std::vector<std::vector<std::string>> longer;
    for (const auto& point : points)
      for (const std::string& word : words) {
        longer.push_back(point);
        longer.back().push_back(name + "=" + word);
      }
    points = std::move(longer);
  }
  errors.throw_if_any();
  return points;
}

ExitCode list_sweep(const CommandLine& line, const MpiSession& mpi) {
  auto points = on_every_rank(mpi, [&] { return sweep_points(load(line)); });
  if (mpi.rank() == 0)
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::printf("%zu", i);
      for (const std::string& setting : points[i]) std::printf(" %s", setting.c_str());
      std::printf("\n");
    }
  return ExitCode::done;
}

CommandLine sweep_point(CommandLine line) {
  auto points = sweep_points(load(line));
  if (line.sweep_case < 0 || line.sweep_case >= static_cast<std::int64_t>(points.size()))
    throw InputErrors(InputError{line.positional.front(), 0,
                                 "option --case: '" + std::to_string(line.sweep_case) + "' is out of range (0 ... " +
                                     std::to_string(points.size() - 1) + ")"});
  for (const std::string& setting : points[static_cast<std::size_t>(line.sweep_case)]) line.settings.push_back(setting);
  return line;
}

}  // namespace lightrail

#include "app/cli/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "app/cli/commands.hpp"

namespace lightrail {

namespace {

constexpr std::size_t max_points = 100'000;

/// "1 8 16", or with commas where a value has blanks: "10 m, 50 m".
std::vector<std::string> values_of(const std::string& text) {
  const bool has_commas = text.find(',') != std::string::npos;
  const char* separators = has_commas ? "," : " \t\r\n";
  std::vector<std::string> values;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n", at);
    if (first < end)
      values.push_back(text.substr(first, text.find_last_not_of(" \t\r\n", end - 1) - first + 1));
    at = end + 1;
  }
  return values;
}

}  // namespace

std::vector<std::vector<std::string>> sweep_points(const Scenario& scenario) {
  const auto sweeps = scenario.root.children_named("sweep");
  if (sweeps.empty()) throw InputErrors(scenario.root.error("<scenario> has no <sweep>"));
  std::vector<std::vector<std::string>> all;
  for (const Element* sweep : sweeps) {
    std::vector<std::vector<std::string>> points{{}};
    // load_scenario has checked that names are variables and values are there.
    for (const Element* vary : sweep->children_named("vary")) {
      const auto values = values_of(vary->find("values")->value);
      if (all.size() + points.size() * values.size() > max_points)
        throw InputErrors(vary->error(fmt::format("<sweep> has more than {} points", max_points)));
      std::vector<std::vector<std::string>> longer;
      for (const auto& point : points)
        for (const std::string& value : values) {
          longer.push_back(point);
          longer.back().push_back(vary->find("name")->value + "=" + value);
        }
      points = std::move(longer);
    }
    all.insert(all.end(), points.begin(), points.end());
  }
  return all;
}

ExitCode list_sweep(const CommandLine& line, const MpiSession& mpi) {
  auto points = on_every_rank(mpi, [&] { return sweep_points(load(line)); });
  if (mpi.rank() == 0)
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::printf("%zu", i);
      for (const std::string& setting : points[i]) std::printf("\t%s", setting.c_str());
      std::printf("\n");
    }
  return ExitCode::done;
}

CommandLine sweep_point(CommandLine line) {
  auto points = sweep_points(load(line));
  if (line.sweep_case >= static_cast<std::int64_t>(points.size()))
    throw InputErrors(InputError{
        line.positional.front(), 0,
        fmt::format("option --case: '{}' is out of range (0 ... {})", line.sweep_case, points.size() - 1)});
  for (const std::string& setting : points[static_cast<std::size_t>(line.sweep_case)])
    line.settings.push_back(setting);
  return line;
}

}  // namespace lightrail

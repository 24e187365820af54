#include "app/cli/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <utility>

#include "app/cli/commands.hpp"
#include "engine/scenario/read_scenario.hpp"

namespace lightrail {

namespace {

constexpr std::size_t max_points = 100'000;

bool can_load(const CommandLine& line) {
  try {
    static_cast<void>(load(line));
    return true;
  } catch (const InputErrors&) {
    return false;
  }
}

}  // namespace

CommandLine at_point(CommandLine line, const std::vector<std::string>& settings) {
  line.settings.insert(line.settings.end(), settings.begin(), settings.end());
  return line;
}

std::vector<std::vector<std::string>> sweep_points(const Scenario& scenario) {
  const auto sweeps = scenario.root.children_named("sweep");
  if (sweeps.empty()) throw InputErrors(scenario.root.error("<scenario> has no <sweep>"));
  std::vector<std::vector<std::string>> all;
  for (const Element* sweep : sweeps) {
    std::vector<std::vector<std::string>> points{{}};
    // load_scenario has checked that names are variables and values are there.
    for (const Element* vary : sweep->children_named("vary")) {
      const auto values = split_values(vary->find("values")->value);
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

std::vector<std::vector<std::string>> points_over(const std::vector<std::string>& over) {
  std::vector<std::vector<std::string>> all(1);
  for (const std::string& each : over) {
    const std::size_t equals = each.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == each.size())
      throw InputErrors(InputError{"", 0, "--over " + each + ": expected NAME=VALUE,VALUE ..."});
    const std::string name = each.substr(0, equals + 1);
    std::vector<std::vector<std::string>> next;
    for (const std::vector<std::string>& before : all)
      for (std::size_t begin = equals + 1; begin <= each.size();) {
        const std::size_t end = std::min(each.find(',', begin), each.size());
        next.push_back(before);
        next.back().push_back(name + each.substr(begin, end - begin));
        begin = end + 1;
      }
    all = std::move(next);
  }
  return all;
}

std::vector<std::vector<std::string>> points_of_sweep(const CommandLine& line) {
  if (line.over.empty()) return sweep_points(load(line));
  std::vector<std::vector<std::string>> points = points_over(line.over);
  if (points.size() > max_points)
    throw InputErrors(InputError{"", 0, fmt::format("--over: more than {} points", max_points)});
  // What is wrong with the first and the last is taken to be wrong with all, and told once.
  try {
    static_cast<void>(load(at_point(line, points.front())));
  } catch (const InputErrors&) {
    if (points.size() == 1 || !can_load(at_point(line, points.back()))) throw;
  }
  return points;
}

std::string with_point(const std::string& file, const std::string& point) {
  if (file.empty()) return file;
  const std::filesystem::path path(file);
  return (path.parent_path() / (path.stem().string() + point + path.extension().string())).string();
}

ExitCode list_sweep(const CommandLine& line, const MpiSession& mpi) {
  auto points = on_every_rank(mpi, [&] { return points_of_sweep(line); });
  if (mpi.rank() == 0)
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::printf("%zu", i);
      for (const std::string& setting : points[i]) std::printf("\t%s", setting.c_str());
      std::printf("\n");
    }
  return ExitCode::done;
}

ExitCode run_sweep(const CommandLine& line, const MpiSession& mpi,
                   const std::function<ExitCode(CommandLine)>& run) {
  const auto points = on_every_rank(mpi, [&] { return points_of_sweep(line); });
  ExitCode worst = ExitCode::done;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (mpi.rank() == 0) fmt::print("{}point {}: {}\n", i ? "\n" : "", i, fmt::join(points[i], " "));
    CommandLine one = at_point(line, points[i]);
    one.sweep_case = static_cast<std::int64_t>(i);
    one.point = fmt::format("-{}", i);
    one.out = with_point(line.out, one.point);
    one.summary_file = with_point(line.summary_file, one.point);
    ExitCode code = ExitCode::done;
    try {
      code = run(one);
    } catch (const FailedElsewhere& failed) {
      code = failed.code;
    }
    worst = std::max(worst, code);
    // What is wrong with one point alone does not keep the others from running.
    if (code != ExitCode::done && code != ExitCode::simulation) return code;
  }
  return worst;
}

CommandLine sweep_point(CommandLine line) {
  const auto points = points_of_sweep(line);
  if (line.sweep_case >= static_cast<std::int64_t>(points.size()))
    throw InputErrors(InputError{
        line.positional.front(), 0,
        fmt::format("option --case: '{}' is out of range (0 ... {})", line.sweep_case, points.size() - 1)});
  CommandLine one = at_point(line, points[static_cast<std::size_t>(line.sweep_case)]);
  one.point = fmt::format("-{}", line.sweep_case);
  return one;
}

}  // namespace lightrail

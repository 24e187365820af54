#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/cli/check_outputs.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/sweep.hpp"
#include "app/study/child_process.hpp"
#include "app/study/point_key.hpp"
#include "app/study/run_study.hpp"
#include "app/study/study_table.hpp"
#include "engine/base/whole_file.hpp"
#include "engine/record/summary.hpp"

namespace lightrail {
namespace fs = std::filesystem;
namespace {

std::string stem_of(const CommandLine& line) {
  return fs::path(line.positional.front()).stem().string();
}

/// Absolute, since the name of a point's file is told to another process and stands in tables.
fs::path folder_of(const CommandLine& line) {
  return fs::absolute(line.out.empty() ? stem_of(line) + ".sweep" : line.out).lexically_normal();
}

/// All points, each with the key of its result.
std::vector<StudyPoint> points_of(const CommandLine& line, const std::string& program) {
  const std::string version = program_version(program);
  std::vector<StudyPoint> points;
  for (const std::vector<std::string>& settings : points_of_sweep(line)) {
    StudyPoint point{points.size(), settings, "", ""};
    try {
      const Scenario scenario = load(at_point(line, settings));
      RunInputs inputs{line.study.deciding, files_named_in(scenario.root), version};
      if (const Element* weeks = scenario.root.child("goodput")) {
        inputs.options.emplace_back("goodput");
        point.command = "goodput";
        point.can_go_on = weeks->find("step") == nullptr;  // else nothing is simulated
      }
      inputs.files.insert(inputs.files.end(), line.plugins.begin(), line.plugins.end());
      point.key = point_key(scenario, inputs);
    } catch (const InputErrors& mistakes) {
      // Of this point alone: the others may run.
      std::vector<std::string> texts;
      for (const InputError& one : mistakes.errors()) texts.push_back("error: " + to_string(one));
      point.problem = fmt::format("{}", fmt::join(texts, "\n"));
    }
    points.push_back(std::move(point));
  }
  return points;
}

[[noreturn]] void fail(const std::string& what) {
  throw InputErrors(InputError{"", 0, what});
}

std::string name_of(const std::string& setting) {
  return setting.substr(0, setting.find('='));
}

/// Those that --only or --case name. A name that is varied may have several values.
std::vector<StudyPoint> chosen(const std::vector<StudyPoint>& points, const CommandLine& line) {
  if (line.sweep_case >= 0) {
    if (line.sweep_case >= static_cast<std::int64_t>(points.size()))
      fail(fmt::format("option --case: '{}' is out of range (0 ... {})", line.sweep_case, points.size() - 1));
    return {points[static_cast<std::size_t>(line.sweep_case)]};
  }
  std::map<std::string, std::vector<std::string>> wanted;
  for (const std::string& setting : line.study.only) {
    std::vector<std::string> names;
    for (const StudyPoint& point : points)
      for (const std::string& one : point.settings)
        if (std::find(names.begin(), names.end(), name_of(one)) == names.end()) names.push_back(name_of(one));
    if (std::find(names.begin(), names.end(), name_of(setting)) == names.end())
      fail(fmt::format("option --only: '{}' is no NAME=VALUE of what the sweep varies ({})", setting,
                       fmt::join(names, ", ")));
    wanted[name_of(setting)].push_back(setting);
  }
  std::vector<StudyPoint> found;
  std::copy_if(points.begin(), points.end(), std::back_inserter(found), [&](const StudyPoint& point) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& values) {
      return std::find_first_of(point.settings.begin(), point.settings.end(), values.second.begin(),
                                values.second.end()) != point.settings.end();
    });
  });
  if (found.empty())
    fail(fmt::format("option --only: the sweep has no point with {}", fmt::join(line.study.only, " ")));
  return found;
}

std::size_t cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    return static_cast<std::size_t>(CPU_COUNT(&allowed));
  return std::max(1u, std::thread::hardware_concurrency());
}

/// "_iterations" ...: the ends of tables that a study can have, one for each list of a summary.
std::set<std::string> ends_of_lists() {
  std::set<std::string> ends;
  const auto empty = nlohmann::json::parse(to_json(Summary{}));
  for (const auto& [name, value] : empty.items())
    if (value.is_array()) ends.insert("_" + name);
  return ends;
}

/// Writes the tables, each in whole or not at all, and takes away those of lists that no summary has any
/// more: the folder may have tables of other studies, whose names begin alike.
void write_tables(const std::string& stem, const std::map<std::string, std::string>& tables,
                  const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const auto path_of = [&](const std::string& end) { return folder / (stem + end + ".csv"); };
  for (const std::string& end : ends_of_lists())
    if (!tables.contains(end)) fs::remove(path_of(end), error);
  for (const auto& [end, text] : tables) write_whole(path_of(end), text);
}

/// The tables of everything that the folder knows of these points, and a line of what that is.
void merge(const std::vector<StudyPoint>& points, const std::string& stem, const StudyFolder& folder) {
  std::vector<PointRecord> records;
  std::size_t complete = 0, failed = 0;
  for (const StudyPoint& point : points) {
    records.push_back(point.key.empty() ? PointRecord{} : folder.read(point.key));
    complete += records.back().state == PointRecord::State::complete;
    failed += records.back().state == PointRecord::State::failed || point.key.empty();
  }
  write_tables(stem, study_tables(points, records, folder), folder.path());
  fmt::print("{} points: {} complete, {} failed, {} not run; {}\n", points.size(), complete, failed,
             points.size() - complete - failed, (folder.path() / (stem + ".csv")).string());
}

}  // namespace

ExitCode sweep_as_study(const CommandLine& line, const std::string& program) {
  const StudyLine& study = line.study;
  const std::vector<StudyPoint> points = points_of(line, program);
  const StudyFolder folder(folder_of(line));
  if (study.only_merges) return merge(points, stem_of(line), folder), ExitCode::done;
  const std::vector<StudyPoint> asked = chosen(points, line);
  forget_launcher();
  StudyPlan plan;
  plan.program = program;
  plan.scenario = line.positional.front();
  plan.launch = study.launch;
  plan.options = study.run_options;
  plan.jobs = study.jobs > 0 ? study.jobs : cores();
  plan.retries = study.retries;
  plan.keeps_results = study.keeps_results;
  const bool is_terminal = line.run.progress == Progress::bar ||
                           (line.run.progress == Progress::automatic && isatty(STDOUT_FILENO) != 0);
  StudyProgress progress(is_terminal, line.run.progress == Progress::none);
  const int code = run_study(plan, asked, folder, progress);
  // A point of a job array leaves the tables to the merge: its neighbours would write them too.
  if (line.sweep_case < 0) merge(points, stem_of(line), folder);
  return static_cast<ExitCode>(code);
}

}  // namespace lightrail

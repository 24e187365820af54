#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/explain/critical_path.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/time.hpp"

namespace lightrail {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_parts = 10, most_changes = 8;

double percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string time_text(std::int64_t ps) {
  return format_time(SimTime{ps});
}

/// "gpu 0 61 %, gpu 3 39 %; 12 times from one to another".
std::string gpus_text(const CriticalPath& path) {
  std::map<std::int64_t, std::int64_t> by_gpu;
  std::int64_t crossings = 0, last = path.segments.empty() ? 0 : path.segments.front().gpu;
  for (const CriticalPath::Segment& segment : path.segments) {
    by_gpu[segment.gpu] += segment.t_end_ps - segment.t_start_ps;
    crossings += segment.gpu != last;
    last = segment.gpu;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> ordered(by_gpu.begin(), by_gpu.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(ordered.size(), 4); ++i)
    text += fmt::format("{}gpu {} {:.0f} %", i > 0 ? ", " : "", ordered[i].first,
                        percent(ordered[i].second, path.step_ps));
  if (ordered.size() > 4) text += fmt::format(", {} others", ordered.size() - 4);
  return text + fmt::format("; {} from GPU to GPU", counted(crossings, "hop"));
}

}  // namespace

std::string to_text(const CriticalPath& path) {
  std::string text = "\ncritical path (what the end of the step waited for, back to its start)\n";
  if (!path.missing.empty()) return text + "  none: " + path.missing + "\n";
  for (std::size_t i = 0; i < std::min(path.parts.size(), most_parts); ++i) {
    const CriticalPath::Part& part = path.parts[i];
    text += fmt::format("  {:<28} {:5.1f} %  {}, {} of them", part.label, percent(part.time_ps, path.step_ps),
                        time_text(part.time_ps), part.count);
    if (part.is_split)
      text += fmt::format("; bytes arrive in {:.0f} % of it", percent(part.bytes_ps, part.time_ps));
    text += "\n";
  }
  if (path.parts.size() > most_parts)
    text += fmt::format("  ... and {} more (--json has all)\n", path.parts.size() - most_parts);
  text += "  through " + gpus_text(path) + "\n";
  if (!path.unsplit.empty()) text += "  rate and latency are not told apart: " + path.unsplit + "\n";
  text += "what would shorten the step most (each alone, if it took a tenth less time)\n";
  for (std::size_t i = 0; i < std::min(path.what_ifs.size(), most_changes); ++i) {
    const CriticalPath::WhatIf& change = path.what_ifs[i];
    text += fmt::format("  {:<36} -{:.2f} %, to {}\n", change.change,
                        percent(path.step_ps - change.step_ps, path.step_ps), time_text(change.step_ps));
  }
  if (path.what_ifs.empty()) text += "  nothing by itself: something else then takes as long\n";
  return text;
}

Json critical_path_json(const CriticalPath& path) {
  Json json{{"missing", path.missing},  {"unsplit", path.unsplit}, {"iteration", path.iteration},
            {"step_ps", path.step_ps},  {"parts", Json::array()},  {"segments", Json::array()},
            {"what_ifs", Json::array()}};
  for (const CriticalPath::Part& part : path.parts)
    json["parts"].push_back({{"label", part.label},
                             {"use", part.use},
                             {"count", part.count},
                             {"time_ps", part.time_ps},
                             {"bytes_ps", part.is_split ? Json(part.bytes_ps) : Json(nullptr)}});
  for (const CriticalPath::Segment& segment : path.segments)
    json["segments"].push_back({{"gpu", segment.gpu},
                                {"op", segment.op},
                                {"iteration", segment.iteration},
                                {"part", segment.part},
                                {"t_start_ps", segment.t_start_ps},
                                {"t_end_ps", segment.t_end_ps}});
  for (const CriticalPath::WhatIf& change : path.what_ifs)
    json["what_ifs"].push_back(
        {{"change", change.change}, {"factor", what_if_factor}, {"step_ps", change.step_ps}});
  return json;
}

void write_critical_path(ResultFile& file, const CriticalPath& path) {
  const std::string at = "/summary/critical_path";
  file.create_group(at);
  file.set_attribute(
      at, "doc",
      "what the end of the last iteration waited for; part: row of parts; bytes_ps: -1 where the "
      "table messages does not tell; what_ifs: the step if what is named took 0.9 of its time");
  file.set_attribute(at, "missing", path.missing);
  if (!path.missing.empty()) return;
  file.set_attribute(at, "unsplit", path.unsplit);
  file.set_attribute(at, "iteration", path.iteration);
  file.set_attribute(at, "step_ps", path.step_ps);
  const auto& parts = path.parts;
  file.create_group(at + "/parts");
  file.write_texts(at + "/parts/label", parts.size(), [&](auto i) { return parts[i].label; });
  file.write_texts(at + "/parts/use", parts.size(), [&](auto i) { return parts[i].use; });
  file.write_numbers(at + "/parts/count", "1", parts.size(), [&](auto i) { return parts[i].count; });
  file.write_numbers(at + "/parts/time_ps", "ps", parts.size(), [&](auto i) { return parts[i].time_ps; });
  file.write_numbers(at + "/parts/bytes_ps", "ps", parts.size(),
                     [&](auto i) { return parts[i].is_split ? parts[i].bytes_ps : std::int64_t{-1}; });
  const auto& segments = path.segments;
  file.create_group(at + "/segments");
  const auto column = [&](const char* name, const char* unit, auto value) {
    file.write_numbers(at + "/segments/" + name, unit, segments.size(),
                       [&](auto i) { return static_cast<std::int64_t>(value(segments[i])); });
  };
  column("gpu", "1", [](const auto& s) { return s.gpu; });
  column("op", "1", [](const auto& s) { return s.op; });
  column("iteration", "1", [](const auto& s) { return s.iteration; });
  column("part", "1", [](const auto& s) { return s.part; });
  column("t_start_ps", "ps", [](const auto& s) { return s.t_start_ps; });
  column("t_end_ps", "ps", [](const auto& s) { return s.t_end_ps; });
  const auto& changes = path.what_ifs;
  file.create_group(at + "/what_ifs");
  file.write_texts(at + "/what_ifs/change", changes.size(), [&](auto i) { return changes[i].change; });
  file.write_numbers(at + "/what_ifs/step_ps", "ps", changes.size(),
                     [&](auto i) { return changes[i].step_ps; });
}

}  // namespace lightrail

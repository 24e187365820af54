#include "app/study/study_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/base/time.hpp"

namespace lightrail {
namespace {

constexpr std::size_t most_shown = 16;  // running points
constexpr std::size_t settings_width = 60;

std::string clock_text(double seconds) {
  const auto all = static_cast<std::int64_t>(std::lround(seconds));
  return fmt::format("{:02}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

std::string settings_text(const StudyPoint& point) {
  std::string text = fmt::format("{}", fmt::join(point.settings, " "));
  if (text.size() > settings_width) text = text.substr(0, settings_width - 3) + "...";
  return text;
}

}  // namespace

std::optional<double> StudyFacts::eta_s() const {
  const std::size_t ended = run + failed;
  if (ended == 0) return std::nullopt;
  const double mean = run_s / static_cast<double>(ended);
  double work = mean * static_cast<double>(left() - std::min(left(), running.size()));
  double longest = 0;
  for (const auto& [place, wall_s] : running) {
    work += std::max(0.0, mean - wall_s);
    longest = std::max(longest, mean - wall_s);
  }
  return std::max(longest, work / static_cast<double>(std::max<std::size_t>(1, std::min(jobs, left()))));
}

std::string progress_text(const StudyFacts& facts) {
  std::string text = fmt::format("{} of {} points", facts.points - facts.left(), facts.points);
  if (facts.failed > 0) text += fmt::format(", {} failed", facts.failed);
  if (!facts.running.empty()) text += fmt::format(", {} running", facts.running.size());
  if (const auto eta = facts.eta_s(); eta && facts.left() > 0) text += ", eta " + clock_text(*eta);
  return text;
}

std::string outcome_text(const PointRecord& record) {
  if (record.state != PointRecord::State::complete)
    return fmt::format("exit code {}: {}", record.exit_code, record.error.substr(0, record.error.find('\n')));
  const auto summary = nlohmann::json::parse(record.summary, nullptr, false);
  const bool has_step =
      summary.is_object() && summary.contains("step_time_ps") && summary["step_time_ps"].is_number_integer();
  return has_step ? "step " + format_time(SimTime{summary["step_time_ps"].get<std::int64_t>()}) : "complete";
}

void StudyProgress::ended(const StudyPoint& point, const PointRecord& record, double wall_s,
                          const StudyFacts& facts) {
  if (is_quiet_) return;
  clear();
  fmt::print("[{}/{}] point {}: {}   {}   {:.1f} s\n", facts.points - facts.left(), facts.points,
             point.number, settings_text(point), outcome_text(record), wall_s);
  std::fflush(stdout);
}

void StudyProgress::draw(const StudyFacts& facts, const std::vector<StudyPoint>& points) {
  if (is_quiet_ || !is_terminal_) return;
  std::string table;
  std::size_t lines = 0;
  for (const auto& [place, wall_s] : facts.running) {
    if (lines == most_shown) break;
    table += fmt::format("  {:>6}  {:<60}  {}\n", points[place].number, settings_text(points[place]),
                         clock_text(wall_s));
    ++lines;
  }
  if (lines < facts.running.size()) {
    table += fmt::format("  ... and {} more\n", facts.running.size() - lines);
    ++lines;
  }
  table += progress_text(facts) + "\n";
  if (table == drawn_) return;
  clear();
  std::fputs(table.c_str(), stdout);
  std::fflush(stdout);
  drawn_ = std::move(table);
  drawn_lines_ = lines + 1;
}

void StudyProgress::clear() {
  // Up to the table's first line, and everything below it away.
  if (drawn_lines_ > 0) fmt::print("\033[{}A\r\033[J", drawn_lines_);
  drawn_lines_ = 0;
  drawn_.clear();
}

}  // namespace lightrail

#include "engine/sync/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lightrail {
namespace {

std::string clock_text(double seconds) {
  const auto s = static_cast<std::int64_t>(std::min(seconds, 1e9));
  return fmt::format("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

/// 18100000 -> "18.1e6"; below a thousand without exponent.
std::string engineering(double value) {
  int exponent = 0;
  while (value >= 999.95) value /= 1000, exponent += 3;
  return exponent == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}e{}", value, exponent);
}

std::string without_space(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

constexpr double least_done = 0.01;  // of the run, before which nobody knows how long it takes

double time_share(const ProgressFacts& f) {
  if (f.end == time_never || f.end.count() <= 0) return 0;
  return std::min(1.0, static_cast<double>(f.now.count()) / static_cast<double>(f.end.count()));
}

/// Whichever ends the run first.
double share(const ProgressFacts& f) {
  return std::max(time_share(f), f.done);
}

bool has_end(const ProgressFacts& f) {
  return f.end != time_never || f.done > 0;
}

std::string figures(const ProgressFacts& f) {
  std::string eta;
  // Of what this run has done itself: wall time begins with it.
  const double before = f.done >= time_share(f) ? f.done_before : 0, done = share(f) - before;
  if (has_end(f) && done >= least_done) eta = " eta " + clock_text(f.wall_s * (1 - share(f)) / done);
  return fmt::format("sim {} wall {}{} events {} ({}/s) imbalance {:.2f}", without_space(format_time(f.now)),
                     clock_text(f.wall_s), eta, engineering(static_cast<double>(f.events)),
                     engineering(f.events_per_s), f.imbalance);
}

}  // namespace

std::string progress_line(const ProgressFacts& f) {
  return has_end(f) ? fmt::format("progress {:.1f}% {}", 100 * share(f), figures(f))
                    : "progress " + figures(f);
}

std::string progress_bar(const ProgressFacts& f) {
  if (!has_end(f)) return figures(f);
  const auto filled = static_cast<std::size_t>(20 * share(f));
  return fmt::format("[{}{}] {:5.1f}% {}", std::string(filled, '#'), std::string(20 - filled, '-'),
                     100 * share(f), figures(f));
}

ProgressPrinter::ProgressPrinter(Progress style, double every_s, int rank)
    : style_(rank == 0 ? style : Progress::none), every_s_(every_s), next_s_(every_s) {
  if (style_ == Progress::automatic) style_ = isatty(STDERR_FILENO) ? Progress::bar : Progress::lines;
}

ProgressPrinter::~ProgressPrinter() {
  if (has_printed_ && style_ == Progress::bar) std::fputc('\n', stderr);
}

void ProgressPrinter::print(ProgressFacts facts) {
  if (facts.wall_s > last_s_)
    facts.events_per_s = static_cast<double>(facts.events - last_events_) / (facts.wall_s - last_s_);
  last_s_ = facts.wall_s;
  last_events_ = facts.events;
  next_s_ = facts.wall_s + (style_ == Progress::bar ? every_s_ : std::max(every_s_, lines_every_s));
  has_printed_ = true;
  if (style_ == Progress::bar)
    fmt::print(stderr, "\r\033[K{}", progress_bar(facts));
  else
    fmt::print(stderr, "{}\n", progress_line(facts));
  std::fflush(stderr);
}

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <string>

#include "engine/base/time.hpp"
#include "engine/sync/simulation.hpp"

namespace lightrail {

/// Sums over all ranks at one window.
struct ProgressFacts {
  SimTime now{};
  SimTime end = time_never;  ///< expected; time_never: not known
  double wall_s = 0;
  std::int64_t events = 0;
  double events_per_s = 0;  ///< since the line before
  double imbalance = 1;
  double done = 0;         ///< of the work that components know of (0 ... 1); 0: not known
  double done_before = 0;  ///< of it by the run that was resumed
};

/// "progress 42.0% sim 2.100ms wall 00:01:12 eta 00:01:39 events 1.3e9 (18.1e6/s) imbalance 1.12"; share and
/// eta are left out when neither the end of the run nor the share of its work that is done is known.
[[nodiscard]] std::string progress_line(const ProgressFacts& facts);
/// One line for a terminal, without line end: "[########------------]  42.0% sim ...".
[[nodiscard]] std::string progress_bar(const ProgressFacts& facts);

/// Prints to stderr: the first time after `every_s` of wall time, on a terminal as often from then on, in
/// lines every half minute. Lives on rank 0; on others it never asks.
class ProgressPrinter {
 public:
  ProgressPrinter(Progress style, double every_s, int rank);
  ~ProgressPrinter();
  [[nodiscard]] bool is_due(double wall_s) const { return style_ != Progress::none && wall_s >= next_s_; }
  /// Events handled before the first line's time began, by the run that was resumed.
  void start_at(std::int64_t events) { last_events_ = events; }
  void print(ProgressFacts facts);

 private:
  Progress style_;
  static constexpr double lines_every_s = 30;  ///< in a log that is read when all is over
  double every_s_, next_s_, last_s_ = 0;
  std::int64_t last_events_ = 0;
  bool has_printed_ = false;
};

}  // namespace lightrail

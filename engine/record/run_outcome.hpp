#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/core_time.hpp"
#include "engine/base/time.hpp"
#include "engine/record/grain_check.hpp"

namespace lightrail {

/// Consecutive windows of one rank.
struct WindowProfile {
  std::int64_t first_window = 0, windows = 0;
  SimTime t_start{}, t_end{};
  double work_s = 0, wait_s = 0;  ///< wall time [s]
  std::int64_t events = 0, sent_events = 0, sent_bytes = 0;
};

/// How a run ended; the same on every rank, except `profile`.
struct RunOutcome {
  std::string status = "failed";  ///< complete, stopped, deadlock, aborted, failed
  int exit_code = 1;
  SimTime end{};
  std::int64_t events = 0, windows = 0;
  std::uint64_t hash = 0;
  double wall_s = 0, build_s = 0, imbalance = 1;
  std::int64_t peak_rss_bytes = 0;  ///< sum over ranks
  std::vector<std::string> waits;   ///< deadlock, aborted: who waits for what
  std::string reason;               ///< stopped: why; failed: the error; aborted: who is dead
  std::vector<WindowProfile> profile;
  std::string checkpoint;  ///< the newest one written; empty: none
  std::optional<GrainCheck> grain_check;
  CoreTime cores;  ///< sum over ranks
};

/// From the engine's result, which this folder does not know by name. The caller maps its status to an exit
/// code.
template <class RunResult>
[[nodiscard]] RunOutcome make_outcome(const RunResult& result, const std::string& status, int exit_code) {
  RunOutcome outcome{status,
                     exit_code,
                     result.end,
                     result.events,
                     result.windows,
                     result.hash,
                     result.wall_s,
                     result.build_s,
                     result.imbalance,
                     result.peak_rss_bytes,
                     result.waits,
                     result.stop_reason,
                     {},
                     result.checkpoint,
                     {},
                     result.cores};
  for (const auto& row : result.profile)
    outcome.profile.push_back({row.first_window, row.windows, row.t_start, row.t_end, row.work_s, row.wait_s,
                               row.events, row.sent_events, row.sent_bytes});
  return outcome;
}

}  // namespace lightrail

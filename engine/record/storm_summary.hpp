#pragma once
#include <cstdint>
#include <string>

namespace lightrail {

/// Pauses that watchdogs of switches took for storms (table storms), of the whole run.
struct StormSummary {
  std::int64_t storms = 0;
  std::int64_t longest_ps = 0;  ///< to the end of the run, where it lasts so long
  std::int64_t discarded = 0, discarded_bytes = 0;
  std::string component;  ///< of the first one, as are:
  std::int64_t port = 0, lane = 0, t_start_ps = 0;
};

}  // namespace lightrail

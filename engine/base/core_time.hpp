#pragma once
#include <string>

namespace lightrail {

/// What became of the time in which a thread could have run, or several threads. 0 and 0: not known.
struct CoreTime {
  double ran_s = 0;     ///< on a core [s]
  double waited_s = 0;  ///< ready to run, while others had its core [s]

  /// What it ran of the time in which it could have: 1 on a core of its own, and where nothing is known.
  [[nodiscard]] double share() const { return ran_s > 0 ? ran_s / (ran_s + waited_s) : 1; }
};

[[nodiscard]] inline CoreTime operator-(const CoreTime& end, const CoreTime& begin) {
  return {end.ran_s - begin.ran_s, end.waited_s - begin.waited_s};
}

/// Of the calling thread since its start, as Linux counts it; sleep is in neither. Not known on a kernel that
/// does not tell.
[[nodiscard]] CoreTime core_time();

/// From /proc/.../schedstat: time run [ns], time ready to run [ns], and the number of time slices.
[[nodiscard]] CoreTime parse_core_time(const std::string& schedstat);

}  // namespace lightrail

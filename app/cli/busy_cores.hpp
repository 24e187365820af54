#pragma once
#include <string>

#include "engine/base/core_time.hpp"

namespace lightrail {

/// The summary's line where ranks had to share their cores, with other processes or with each other, and the
/// number of ranks that their time would have been enough for. "" where the run had more than nine tenths of
/// the time in which it could have run, or less than half a second a rank was lost.
/// @param cores   sum over the ranks, of the run
/// @param wall_s  of the run [s]
[[nodiscard]] std::string busy_cores_text(const CoreTime& cores, int ranks, double wall_s);

}  // namespace lightrail

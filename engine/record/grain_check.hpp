#pragma once
#include <cstdint>

namespace lightrail {

/// How long some iterations took here and in a run with shorter trains (--check-grain).
struct GrainCheck {
  std::int64_t packets = 0;                    ///< in the shorter trains, at most
  std::int64_t step_time_ps = 0;               ///< here, from the first GPU's start to the last one's end
  std::int64_t finer_step_time_ps = 0;         ///< there; 0: it did not end within three times as long
  std::int64_t first_step = 0, last_step = 0;  ///< the iterations
  [[nodiscard]] bool has_ended() const { return finer_step_time_ps > 0; }
  /// By how much longer it is here: 0.01 for 1 %. Of one that has ended.
  [[nodiscard]] double error() const {
    return static_cast<double>(step_time_ps) / static_cast<double>(finer_step_time_ps) - 1;
  }
};

}  // namespace lightrail

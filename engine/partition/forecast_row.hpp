#pragma once
#include <cstdint>

#include "engine/base/time.hpp"

namespace lightrail {

/// What a run would take on more ranks, were an event as costly there as it was here.
struct ForecastRow {
  int ranks = 1;
  SimTime lookahead = time_never;
  std::int64_t windows = 0;      ///< with at least one event
  std::int64_t sent_events = 0;  ///< between ranks
  double work_s = 0;             ///< of all ranks together
  double longest_s = 0;          ///< sum over windows of the busiest rank's work
  double sync_s = 0;             ///< sum over windows of exchange or reduction, whichever is longer

  /// Wall time [s]: work of the busiest rank and what windows cost, one after the other.
  [[nodiscard]] double wall_s() const { return longest_s + sync_s; }
  /// Mean work over the busiest rank's, 0 ... 1.
  [[nodiscard]] double balance() const { return work_s / (ranks * longest_s); }
  /// Against one rank that does all the work.
  [[nodiscard]] double speedup() const { return work_s / wall_s(); }
  /// Speedup a rank, 0 ... 1.
  [[nodiscard]] double efficiency() const { return speedup() / ranks; }
};

}  // namespace lightrail

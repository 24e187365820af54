#pragma once
#include <mpi.h>

#include <algorithm>
#include <cstdint>

#include "engine/base/time.hpp"

namespace lightrail {

/// What one reduction a window tells every rank. Everything is a minimum over signed 64-bit integers:
/// MPICH 4.0.2 compares unsigned integers as signed in MPI_MIN and MPI_MAX, so an unsigned "never" would win.
struct WindowFacts {
  std::int64_t next_time = time_never.count();  ///< [ps] of the first event pending or in flight anywhere
  std::int64_t failed_at = time_never.count();  ///< [ps] of the first failure
  std::int64_t stop = 0;                        ///< minus the code of a stop request; see StopRequests
  std::int64_t asks_progress = 0;               ///< -1: rank 0 wants the sums of a progress line
  std::int64_t asks_checkpoint = 0;             ///< -1: rank 0's clock wants a checkpoint
  std::int64_t needs_rows = -1;                 ///< 0: the recorder is full (Recorder::is_full)
  static constexpr int size = 6;
};
static_assert(sizeof(WindowFacts) == WindowFacts::size * sizeof(std::int64_t));

/// What two ranks know together.
[[nodiscard]] inline WindowFacts both(const WindowFacts& a, const WindowFacts& b) {
  return {std::min(a.next_time, b.next_time),
          std::min(a.failed_at, b.failed_at),
          std::min(a.stop, b.stop),
          std::min(a.asks_progress, b.asks_progress),
          std::min(a.asks_checkpoint, b.asks_checkpoint),
          std::min(a.needs_rows, b.needs_rows)};
}

/// Starts the reduction of `mine` into `all`; both must live until the request is complete.
inline void start_reduction(const WindowFacts& mine, WindowFacts& all, MPI_Comm comm, MPI_Request& request) {
  MPI_Iallreduce(&mine, &all, WindowFacts::size, MPI_INT64_T, MPI_MIN, comm, &request);
}

}  // namespace lightrail

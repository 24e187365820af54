#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "engine/model/recorder.hpp"
#include "engine/sync/checkpoints.hpp"
#include "engine/sync/profile.hpp"
#include "engine/sync/progress_line.hpp"
#include "engine/sync/rank_model.hpp"
#include "engine/sync/simulation.hpp"
#include "engine/sync/stop_requests.hpp"

namespace lightrail {

/// Wall time between two questions to the recorder whether its files are still there [s].
inline constexpr double file_check_s = 2;

/// What an engine works with.
struct RunParts {
  const Partition& partition;
  RankModel& model;
  Recorder& recorder;
  MPI_Comm comm;
  const RunOptions& options;
  StopRequests& stops;
  Checkpoints& checkpoints;
  ProgressPrinter& printer;
  Profile& profile;
};

/// How an engine ended; all but `events` is the same on every rank.
struct EngineOutcome {
  std::int64_t events = 0;          ///< handled by this rank
  SimTime last_event{};             ///< of all ranks, idle wakes aside (Component::is_idle_wake)
  bool has_events_left = false;     ///< at stop_at: other than idle wakes
  std::int64_t stop_code = 0;       ///< of StopRequests; 0: not stopped
  SimTime stopped_at = time_never;  ///< every event before it was handled, if stopped, or recorders are full
  std::int64_t windows = 0;
  std::vector<ForecastRow> forecast;
  std::int64_t peak_pending = 0;  ///< events of this rank waiting at one time, as sampled between windows
};

/// Collective. The share of the run's work that is done, 0 where no component knows: the mean of what
/// components say, of at most 1,000 a rank.
[[nodiscard]] double done_share(RankModel& model, MPI_Comm comm);

/// Wall time since some fixed moment [s].
[[nodiscard]] double wall_seconds();

}  // namespace lightrail

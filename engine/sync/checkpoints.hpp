#pragma once
#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/file_lock.hpp"
#include "engine/checkpoint/checkpoint_file.hpp"
#include "engine/model/recorder.hpp"
#include "engine/sync/pending_event.hpp"
#include "engine/sync/rank_model.hpp"
#include "engine/sync/simulation.hpp"

namespace lightrail {

/// What an engine knows of the run beside components and events.
struct RunFacts {
  SimTime now{};  ///< every event before it was handled, none at or after it
  SimTime last_event{};
  SimTime flush_boundary{};
  std::int64_t events = 0;  ///< handled by this rank; after restore() rank 0 stands for all
};

/// When a run saves its state, and how. What is written depends on the model and on `now` alone: not on
/// ranks, engine, window or wall time.
class Checkpoints {
 public:
  /// Collective; throws IoError when another run writes to the folder.
  Checkpoints(const RunOptions& options, RankModel& model, Recorder& recorder, MPI_Comm comm);

  [[nodiscard]] bool is_on() const { return !plan_.folder.empty(); }
  /// The next simulated time at which to save: no window may pass it.
  [[nodiscard]] SimTime boundary() const { return boundary_; }
  /// The next event anywhere is at `next`.
  [[nodiscard]] bool is_due(SimTime next) const { return next >= boundary_; }
  /// Whether this rank's clock asks for a checkpoint; only rank 0's ever does.
  [[nodiscard]] bool asks() const;

  /// Collective; throws IoError, or what a component's save() throws, on all ranks. `pending` are this rank's
  /// events.
  void write(const RunFacts& facts, std::vector<PendingEvent> pending);
  [[nodiscard]] const std::string& newest() const { return newest_; }  ///< path; empty: none written

  /// Collective. Instead of start(): the state of all components and of the recorder; `pending` are this
  /// rank's events.
  RunFacts restore(const CheckpointFile& file, std::vector<PendingEvent>& pending);

 private:
  void set_boundary(SimTime now);
  void lock_folder();
  void append_components(SimTime now, std::vector<PendingEvent>& pending, class CheckpointWriter* writer);

  CheckpointPlan plan_;
  RankModel* model_;
  Recorder* recorder_;
  MPI_Comm comm_;
  int rank_ = 0;
  FileLock lock_;  ///< rank 0's, of the folder
  bool is_locked_ = false;
  SimTime boundary_ = time_never;
  double last_s_ = 0;  ///< wall time of the last checkpoint
  std::int64_t next_number_ = 1;
  bool is_new_run_ = true;  ///< whatever the folder holds is another run's
  std::string newest_;
};

}  // namespace lightrail

#pragma once
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/core_time.hpp"
#include "engine/checkpoint/checkpoint_format.hpp"
#include "engine/model/model.hpp"
#include "engine/model/recorder.hpp"
#include "engine/partition/partition.hpp"
#include "engine/sync/forecast.hpp"

namespace lightrail {

enum class Engine : std::uint8_t { window, reference };
enum class Progress : std::uint8_t {
  automatic,
  bar,
  lines,
  none
};  ///< automatic: a bar on a terminal, else lines
enum class RunStatus : std::uint8_t { complete, stopped, deadlock };
[[nodiscard]] const char* to_string(RunStatus status);

class CheckpointFile;

/// Whether a run saves its state, and when: at multiples of `every` simulated time, every `wall_every_s` of
/// wall time, and always when it is stopped early.
struct CheckpointPlan {
  std::string folder;  ///< empty: never
  SimTime every = time_never;
  double wall_every_s = 0;  ///< 0: never
  CheckpointIdentity identity;
};

/// How a run is carried out. Nothing here can change a result; only stop_at and exit_after_s end it earlier,
/// as does a recorder that is full.
struct RunOptions {
  Engine engine = Engine::window;
  SimTime stop_at = time_never;  ///< events at or after this time are not handled
  double exit_after_s = 0;       ///< wall time after which all ranks stop at one window [s]; 0: never
  Progress progress = Progress::none;
  double progress_every_s = 1;  ///< wall time between two progress lines [s]
  SimTime expected_end =
      time_never;              ///< for the share and eta of the progress line; stop_at where that is earlier
  SimTime window{0};           ///< widest window between ranks; 0: the lookahead of the partition
  std::uint32_t block = 1024;  ///< components a queue block, 1 ... 65536; with tiles at most 256
  CheckpointPlan checkpoint;
  const CheckpointFile* resume = nullptr;  ///< go on from there; must outlive the run
  const ForecastPlan* forecast =
      nullptr;                ///< window engine on one rank: what more ranks would take; must outlive the run
  bool catch_signals = true;  ///< SIGINT, SIGTERM, SIGUSR1 stop all ranks at the same window
};

/// Consecutive windows of one rank, merged so that a run of any length keeps at most 1,024 rows.
struct ProfileRow {
  std::int64_t first_window = 0, windows = 0;
  SimTime t_start{}, t_end{};
  double work_s = 0;  ///< wall time spent handling events [s]
  double wait_s = 0;  ///< wall time spent in exchange and reduction [s]
  std::int64_t events = 0, sent_events = 0, sent_bytes = 0;
};

/// The same on every rank, except `profile`.
struct RunResult {
  RunStatus status = RunStatus::complete;
  /// Time of the last event; stop_at, or when recorders were full, when events were left there. Idle wakes
  /// (Component::is_idle_wake) count for neither.
  SimTime end{};
  std::int64_t events = 0;  ///< handled by all ranks
  std::uint64_t hash = 0;   ///< of every event handled, by component; see hash_text
  /// deadlock: a circle of buffers, if there is one, then "gpu3: op 17 ..." in component order, at most 20
  std::vector<std::string> waits;
  std::int64_t waits_total = 0;
  std::string stop_reason;  ///< stopped: "SIGTERM", "exit-after"
  std::string checkpoint;   ///< the newest one written; empty: none
  std::int64_t windows = 0;
  double wall_s = 0;                  ///< of run() [s]
  double build_s = 0;                 ///< slowest rank's construction [s]
  CoreTime cores;                     ///< of run(), sum over ranks
  double imbalance = 1;               ///< largest work of a rank over the mean
  std::int64_t peak_rss_bytes = 0;    ///< sum over ranks
  std::int64_t peak_pending = 0;      ///< events waiting at one time, sampled between windows; sum over ranks
  std::vector<ForecastRow> forecast;  ///< a row for each partition of RunOptions::forecast
  std::vector<ProfileRow> profile;    ///< of this rank; rows of all ranks cover the same windows
};

/// 16 hex digits.
[[nodiscard]] std::string hash_text(std::uint64_t hash);

/// One run of a model on the ranks of a communicator. Every call is collective. Each rank builds its own part
/// only. An error of one rank becomes the same exception on all of them: the one with the smallest (time,
/// component).
class Simulation {
 public:
  /// MPI must be initialised; `model`, `recorder` must outlive this. Throws InputErrors for a link without
  /// latency and what the kinds' make() throw.
  Simulation(const Model& model, const Partition& partition, MPI_Comm comm, Recorder& recorder);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Once. Handles every event, in windows or (one rank only, else InputErrors) by the reference engine;
  /// calls finish() of every component in id order and the recorder's last flush before it returns or reports
  /// a deadlock.
  RunResult run(const RunOptions& options);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lightrail

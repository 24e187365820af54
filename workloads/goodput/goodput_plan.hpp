#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/time.hpp"

namespace lightrail {

/// Why a job is interrupted, and what that asks for.
struct FailureCategory {
  std::string name;              ///< "faulty GPU"
  double per_day = 0;            ///< interruptions of the whole job, >= 0 [1/d]
  SimTime detection{};           ///< until the job's controller acts
  bool replaces_server = false;  ///< the server goes to repair, another one takes its place
  std::uint32_t servers = 1;     ///< that fail at once, if so
};

/// How training state is kept.
struct JobCheckpoint {
  SimTime every{};     ///< training time between two, rounded to whole steps
  SimTime blocking{};  ///< training stands still
  SimTime write{};     ///< in the background after that: until it is there, a failure falls back to
                       ///< the one before. 0: it is there when training goes on
  double speed_while_saving = 1;  ///< of training during the write, in (0, 1]
};

/// Checkpoints are kept in servers' memories: of each server in those of its group, it among them. What a
/// server keeps is lost when it is replaced, and there again with the next checkpoint.
struct MemoryCopies {
  std::uint32_t servers = 0;        ///< of the job, a multiple of `copies`
  std::uint32_t copies = 2;         ///< servers of a group
  std::uint32_t storage_every = 0;  ///< every so many-th checkpoint is written to storage too; 0: none
  SimTime storage_write{};          ///< of such a one, after its end in memory
  SimTime load{};                   ///< reading it from memory
};

/// What a job goes through, one after the other, between the detection of a failure and the next step.
struct RestartTimes {
  SimTime replacement{};     ///< of categories that replace a server, when a spare is there
  SimTime rendezvous{};      ///< processes find each other
  SimTime initialisation{};  ///< communicators
  SimTime load{};            ///< the checkpoint
  SimTime warm_up{};         ///< what the first steps take longer
};

/// Servers that stand by.
struct SparesPlan {
  std::uint32_t servers = 0;
  SimTime repair{};  ///< of a server that failed; then it stands by
};

/// Replicas that recover from each other, without checkpoints.
struct ReplicaPlan {
  std::uint32_t groups = 1;
  SimTime heartbeat{};  ///< silence after which a group counts as dead
  SimTime quorum{};     ///< to agree on who takes part, whenever that changes
};

/// A job, how it fails and how it recovers: what weeks of it are played from.
struct GoodputPlan {
  std::uint32_t gpus = 0;
  SimTime step{};  ///< of all GPUs
  SimTime period{};
  std::uint32_t runs = 1;
  std::uint64_t seed = 1;
  std::vector<FailureCategory> categories;
  std::optional<JobCheckpoint> checkpoint;  ///< none: a failure loses everything, unless there are replicas
  std::optional<MemoryCopies> memory;       ///< with a checkpoint; none: that is in storage
  RestartTimes restart;
  std::optional<SparesPlan> spares;  ///< none: a spare is always there
  std::optional<ReplicaPlan> replicas;

  /// Interruptions of the job, of all categories [1/d].
  [[nodiscard]] double failures_per_day() const;
  /// From a failure of that category to the next step, when nothing else fails, a spare is there and memory
  /// still has the state.
  [[nodiscard]] SimTime restart_time(const FailureCategory& category) const;
  /// Weighted by how often each category comes [s]; 0 where nothing fails.
  [[nodiscard]] double mean_restart_s() const;
  /// `every` in whole steps, at least one.
  [[nodiscard]] SimTime whole_steps(SimTime every) const;
};

}  // namespace lightrail

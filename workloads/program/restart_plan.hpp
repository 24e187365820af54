#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// What a job goes through from a failure to its next step (<restart> of <faults>). Reading the checkpoint is
/// simulated.
struct RestartStages {
  SimTime detection{};     ///< from a failure with a health signal until the job is stopped
  SimTime replacement{};   ///< until a spare server has taken the place of a failed one
  SimTime rendezvous{};    ///< until all processes have met
  SimTime init{};          ///< of communicators ...
  SimTime init_per_gpu{};  ///< ... and for each GPU of the job
  SimTime warm_up{};       ///< between the read and the first step
};

/// A Model resource: jobs whose GPUs, servers or connections fail are restarted. What the supervisor and the
/// GPUs go by.
struct RestartPlan {
  /// What the supervisor and a GPU tell each other takes so long. It is a part of RestartStages::detection,
  /// and shows where nothing has to be detected: a job whose connection breaks is stopped two of them later.
  static constexpr SimTime notice = microseconds(1);
  /// A job is restarted so often at most: connections tell so many attempts apart.
  static constexpr std::uint32_t max_restarts = 7;

  struct Job {
    std::string name;              ///< empty: of the only job
    std::vector<EndpointId> gpus;  ///< in rising order
    SimTime start{};
    bool has_checkpoints = true;  ///< all its GPUs write them
  };

  RestartStages stages;
  std::vector<Job> jobs;
  std::vector<EndpointId> gpus;  ///< by port of the supervisor: those of jobs and of spare servers
};

/// Whether an operation writes a part of the job's checkpoint: from host memory, at once or beside training.
[[nodiscard]] inline bool saves_state(const Op& op) {
  return op.kind == OpKind::storage_write && op.io != IoMode::own;
}

}  // namespace lightrail

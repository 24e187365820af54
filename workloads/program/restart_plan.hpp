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
    /// Groups whose members keep each other's state in their hosts' memories; invalid: none do.
    GroupKindId memory{};
  };

  RestartStages stages;
  std::vector<Job> jobs;
  std::vector<EndpointId> gpus;  ///< by port of the supervisor: those of jobs and of spare servers
};

/// Whether an operation writes a part of the job's checkpoint: from host memory to storage, at once or beside
/// training, or into host memory where it is to stay.
[[nodiscard]] inline bool saves_state(const Op& op) {
  return (op.kind == OpKind::storage_write && op.io != IoMode::own) ||
         (op.kind == OpKind::host_copy && is_in_memory(op.io) && !op.restores);
}

/// Where a job that goes on has its state from.
enum class StateSource : std::uint32_t { beginning, storage, memory };

/// Which members of a GPU's memory group keep nothing any more, a bit each.
struct LostMemories {
  std::uint32_t members = 0;  ///< bits
  std::uint32_t size = 0;     ///< of the group

  [[nodiscard]] bool has_lost(std::uint32_t member) const { return (members >> member & 1) != 0; }
  [[nodiscard]] bool has_lost_all() const { return members + 1 == 1u << size; }
  /// Who gives `member` its state: itself, or the next one behind it that still has it; there is one.
  [[nodiscard]] std::uint32_t holder(std::uint32_t member) const {
    while (has_lost(member)) member = (member + 1) % size;
    return member;
  }
  /// Whether `me` executes that operation, which restores from memory: copies its own state, or that of a
  /// member before it which it holds, sends that, or receives its own.
  [[nodiscard]] bool needs(const Op& op, std::uint32_t me) const {
    const auto member = [&](std::int64_t distance) {
      return static_cast<std::uint32_t>((me + distance + size) % size);
    };
    if (op.kind == OpKind::host_copy) return holder(member(-std::int64_t{op.root})) == me;
    if (op.kind == OpKind::send) return holder(member(op.peer)) == me;
    return has_lost(me) && holder(me) == member(op.peer);
  }
};
/// Members of such a group at most.
inline constexpr std::uint32_t max_memory_copies = 8;

}  // namespace lightrail

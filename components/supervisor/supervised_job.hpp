#pragma once
#include <cstdint>
#include <map>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "workloads/program/restart_plan.hpp"

namespace lightrail {

/// What a job was stopped for: the texts of the column `cause` of the table restarts.
enum class RestartCause : std::uint32_t { gpu, nic, connection, timeout };

/// A job's checkpoints of one kind. Plain state.
struct JobSaves {
  std::int64_t last = -1;                        ///< iteration of the last complete one; -1: there is none
  std::map<std::uint32_t, std::uint32_t> parts;  ///< by iteration: GPUs that have written theirs

  /// A GPU, one of `of`, has written its part of the checkpoint of that iteration. True: it is complete.
  bool add(std::uint32_t iteration, std::uint32_t of);
  void save(StateWriter& out) const;
  void load(StateReader& in);
};

/// A job as its supervisor knows it. Plain state.
struct SupervisedJob {
  enum class State : std::uint32_t {
    running,
    halted,     ///< until its communicators are ready
    beginning,  ///< its GPUs read their checkpoints
    ended,
    lost  ///< it cannot go on
  };
  /// The restart that is under way, or the last one; times of -1: not yet.
  struct Restart {
    RestartCause cause{};
    ComponentId failed{};
    std::uint32_t servers = 0, server = EndpointId::none, spare = EndpointId::none;
    std::uint32_t reached = 0;
    SimTime failed_at{-1}, halted_at{-1}, ready_at{-1}, loaded_at{-1}, back_at{-1};
    std::int64_t iteration = -1;
    StateSource source = StateSource::beginning;
    std::uint32_t unused = 0;
  };

  State state = State::running;
  std::uint32_t attempt = 0;
  std::uint32_t back = 0, ended = 0;  ///< GPUs that have said so in this attempt
  ComponentId lost_to{};              ///< of a job that cannot go on: what has failed for good
  SimTime decided_at{};               ///< who has failed then is replaced in this attempt
  Restart restart;
  JobSaves in_storage, in_memory;
  /// By server of the job, as it was at first: the attempt that began when what the one in its place kept in
  /// memory was lost. A checkpoint that is complete in that attempt or later puts all there again.
  std::map<std::uint32_t, std::uint32_t> lost_memories;

  [[nodiscard]] bool is_over() const { return state == State::ended || state == State::lost; }
  /// A GPU, one of `of`, keeps what it is to keep in memory of the checkpoint of that iteration.
  void add_in_memory(std::uint32_t iteration, std::uint32_t of, std::uint32_t in_attempt);
  void record(Context& context, std::uint32_t number) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);
};

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <map>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// What a job was stopped for: the texts of the column `cause` of the table restarts.
enum class RestartCause : std::uint32_t { gpu, nic, connection, timeout };

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
  };

  State state = State::running;
  std::uint32_t attempt = 0;
  std::uint32_t back = 0, ended = 0;  ///< GPUs that have said so in this attempt
  ComponentId lost_to{};              ///< of a job that cannot go on: what has failed for good
  std::int64_t last_saved = -1;       ///< iteration of the last complete checkpoint; -1: there is none
  SimTime decided_at{};               ///< who has failed then is replaced in this attempt
  Restart restart;
  std::map<std::uint32_t, std::uint32_t> saves;  ///< by iteration: GPUs that have written their parts

  [[nodiscard]] bool is_over() const { return state == State::ended || state == State::lost; }
  /// A GPU, one of `of`, has written its part of the checkpoint of that iteration.
  void add_save(std::uint32_t iteration, std::uint32_t of);
  void record(Context& context, std::uint32_t number) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);
};

}  // namespace lightrail

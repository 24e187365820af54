#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/lane_arbiter.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// The line of a port whose lanes take turns, since they have weights or since flow control stops them.
struct LineTurns {
  LaneArbiter arbiter;
  SimTime ahead{};                 ///< how long before it begins a train has the line at most
  std::uint32_t packet_bytes = 0;  ///< MTU [B]
  SimTime busy_from{};             ///< without a gap until it is free
  SimTime frames_end{};            ///< of the last frame that went between packets
  SimTime wake = time_never;       ///< when the line is free and a train that waits for it is ready
  std::array<std::int64_t, max_lanes> waiting{};  ///< of a lane [B]

  /// Gives a frame that takes `busy` its place between the packets, each of which takes `packet`, of trains
  /// that have the line up to `free_at`: behind the packet that is on it at `ready`. Returns its start.
  [[nodiscard]] SimTime place_frame(SimTime ready, SimTime free_at, SimTime packet, SimTime busy) {
    const bool is_idle = free_at <= ready || busy_from > ready;
    const SimTime next = is_idle || packet == SimTime{0} ? ready : ready + (free_at - ready) % packet;
    // Never before a frame that was sent earlier: where packets end is counted back from when the line is
    // free, which that frame and what was given the line since have moved.
    const SimTime start = std::max(next, frames_end);
    frames_end = start + busy;
    return start;
  }

  void save(StateWriter& out) const {
    out.put(wake), out.put(waiting), out.put(busy_from), out.put(frames_end), out.put(arbiter.state());
  }
  void load(StateReader& in) {
    LaneArbiter::State state;
    in.get(wake), in.get(waiting), in.get(busy_from), in.get(frames_end), in.get(state);
    arbiter.set(state);
  }
};

}  // namespace lightrail

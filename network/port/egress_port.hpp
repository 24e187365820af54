#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/flow_control.hpp"
#include "network/port/line_time.hpp"
#include "network/port/link_meter.hpp"

namespace lightrail {

/// A port of EgressBank: what a hop needs of it, in one cache line.
struct alignas(64) EgressPort {
  SimTime free_at{};
  std::int64_t waiting_bytes = 0;
  SendLane near[near_lanes];
  LineTime line;
  std::int64_t carried_bytes = 0;  ///< on the line so far, control messages included
  std::uint32_t capacity = 0;      ///< SendTerms
  std::uint8_t lanes = 0;          ///< SendTerms
  std::uint8_t lanes_here = 1;     ///< of them, those in `near`; lane 0 is where there are none
  bool is_connected : 1 = false;
  bool is_counted : 1 = false;     ///< its EgressPortCount or traffic meters are kept
  bool is_metered : 1 = false;     ///< its EgressPortCount is all that is kept
  bool counts_queue : 1 = false;   ///< queue is recorded
  bool takes_turns : 1 = false;    ///< LineTurns has the line
  bool errs : 1 = false;           ///< LineErrors has the line
  bool fails : 1 = false;          ///< the health table has outages of its link
  bool is_watched : 1 = false;     ///< its timer runs: trains wait on a link that fails
  bool was_dark : 1 = false;       ///< EgressBank::mark_dark
  bool subtracts : 1 = false;      ///< SendTerms::Leaving
  bool tells : 1 = false;          ///< SendTerms::Leaving
  bool is_stoppable : 1 = false;   ///< SendTerms::ahead; takes_turns as well
  bool hears_waiting : 1 = false;  ///< SendTerms
  bool is_plain : 1 = true;        ///< connected, and none of errs, fails, tells, takes_turns
  bool is_clear : 1 = false;       ///< usable and lit for good
  bool adds_credits : 1 = false;   ///< SendTerms, and nothing was borrowed

  void save(StateWriter& out) const {
    out.put(free_at), out.put(waiting_bytes), out.put(near), out.put(carried_bytes);
    out.put(std::uint8_t{is_watched});
  }
  void load(StateReader& in) {
    in.get(free_at), in.get(waiting_bytes), in.get(near), in.get(carried_bytes);
    std::uint8_t watched = 0;
    in.get(watched);
    is_watched = watched != 0;
  }
};
static_assert(sizeof(EgressPort) == 64);

/// Of a lane, for the queue table.
struct EgressLaneCount {
  SimTime total_wait{}, max_ahead{};  ///< of the line's reservations
  std::int64_t max_waiting = 0;       ///< at the port [B]
  void add_all(const EgressLaneCount& other) {
    total_wait += other.total_wait;
    max_ahead = std::max(max_ahead, other.max_ahead);
    max_waiting = std::max(max_waiting, other.max_waiting);
  }
  /// The line has a train from `start` to `end` that was ready at `ready`.
  void add(SimTime now, SimTime ready, SimTime start, SimTime end) {
    total_wait += start - ready;
    max_ahead = std::max(max_ahead, end - std::max(ready, now));
  }
};

/// What a hop is counted in: one cache line.
struct alignas(64) EgressPortCount {
  LinkMeter meter;
  EgressLaneCount lane;  ///< of lane 0, which most traffic has
};
static_assert(sizeof(EgressPortCount) == 64);

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/time.hpp"
#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/egress_port.hpp"
#include "network/port/flow_control.hpp"
#include "network/wire/connection.hpp"

namespace lightrail {

/// What the line of a port carried in a stretch of time, so that it can be counted once more as if the line
/// had carried it at another time (EgressBank::carry). Times are from the stretch's begin on; trains on lane
/// 0 alone. Plain state.
class LineRecord {
 public:
  /// Trains of the same length and connection, one as long after the other.
  struct Run {
    SimTime start{}, period{}, busy{};
    std::uint32_t count = 0, payload_bytes = 0;  ///< trains; payload of each [B]
    Connection connection{};
    std::uint32_t unused = 0;
  };

  /// The line has a train from `start` on for `busy`. In the order in which the line got them.
  void add(SimTime start, SimTime busy, std::uint32_t payload_bytes, Connection connection);

  std::vector<Run> runs;
  std::int64_t carried_bytes = 0;  ///< control messages included
  EgressLaneCount queue;           ///< of lane 0
  /// What lane 0 of a port under credits might still send at least [B].
  std::uint32_t least_allowed = unlimited;
  bool is_plain = true;  ///< all were on lane 0

  void save(StateWriter& out) const {
    out.put(runs), out.put(carried_bytes), out.put(queue), out.put(least_allowed);
    out.put(std::uint8_t{is_plain});
  }
  void load(StateReader& in) {
    std::uint8_t plain = 0;
    in.get(runs), in.get(carried_bytes), in.get(queue), in.get(least_allowed);
    in.get(plain);
    is_plain = plain != 0;
  }
};

/// The record of a port that is being made.
struct LineRecording {
  PortIndex port = 0;
  SimTime begin{};
  EgressLaneCount before;  ///< of lane 0, up to the begin
  std::int64_t carried_before = 0;
  LineRecord record = {};

  void save(StateWriter& out) const {
    out.put(port), out.put(begin), out.put(before), out.put(carried_before), record.save(out);
  }
  void load(StateReader& in) {
    in.get(port), in.get(begin), in.get(before), in.get(carried_before), record.load(in);
  }
};

}  // namespace lightrail

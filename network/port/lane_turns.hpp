#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/base/time.hpp"
#include "engine/model/context.hpp"
#include "network/port/egress_port.hpp"
#include "network/port/flow_control.hpp"
#include "network/port/lane_arbiter.hpp"
#include "network/port/line_turns.hpp"
#include "network/port/send_queue.hpp"

namespace lightrail {

/// Which lane of a port has its turn, where lanes take turns. Made for a call, of what EgressBank keeps.
///
/// Model: a train that comes while nobody waits for the line has it if it can begin `ahead` from now at the
/// latest (LineTurns). Else it waits in its lane; a timer ends when the line is so near and a train that the
/// far end lets go is ready, and the line's LaneArbiter says which of these is next. A lane that flow control
/// stops (SendControl::stops_at) before its train could begin has no turn.
class LaneTurns {
 public:
  /// `index`: the port's in its component; all but `lanes` outlive this.
  LaneTurns(LineTurns& line, const EgressPort& port, PortIndex index, const SendControl& control,
            const SendLanes& lanes, const SendQueue& queue)
      : line_(line), port_(port), index_(index), control_(control), lanes_(lanes), queue_(queue) {}

  /// Whether a train that is ready at `ready`, before which nobody waits on `lane`, may have the line now.
  [[nodiscard]] bool may_have_line(std::uint8_t lane, SimTime ready, SimTime now) const {
    if (line_.wake != time_never || port_.free_at > now + line_.ahead) return false;
    return !port_.is_stoppable || may_begin(lane, std::max(ready, port_.free_at), now);
  }
  /// The lane whose first train has the line next, which is counted as sent; LaneArbiter::none: the line is
  /// not free, or nobody may have it.
  [[nodiscard]] std::uint32_t next(SimTime now) {
    const SimTime horizon = now + line_.ahead;
    if (port_.free_at > horizon) return LaneArbiter::none;
    const SimTime at = std::max({now, port_.free_at, first_ready(now)});
    return line_.arbiter.next([&](std::uint32_t lane) {
      const Waiting* first = at <= horizon ? head(lane, now) : nullptr;
      return first && first->ready <= at ? first->train.bytes : 0;
    });
  }
  /// Has a timer end (FlowTimer::Side::line) when next() is to be asked again, if somebody can leave then.
  void wake_when_free(Context& context);

 private:
  /// Of a stoppable port: whether a train may be given the line for `start` (now, if that is past).
  [[nodiscard]] bool may_begin(std::uint8_t lane, SimTime start, SimTime now) const {
    return start <= now + line_.ahead && std::max(start, now) < control_.stops_at(index_, lane);
  }
  [[nodiscard]] const Waiting* head(std::uint32_t lane, SimTime now) const;
  [[nodiscard]] SimTime first_ready(SimTime now) const;

  LineTurns& line_;
  const EgressPort& port_;
  PortIndex index_;
  const SendControl& control_;
  SendLanes lanes_;
  const SendQueue& queue_;
};

}  // namespace lightrail

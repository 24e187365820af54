#include "network/port/lane_turns.hpp"

namespace lightrail {

/// The train that is first on `lane`, if the far end lets it go; null: none.
const Waiting* LaneTurns::head(std::uint32_t lane, SimTime now) const {
  if (lane >= lanes_.count() || lanes_[lane].first_waiting == SendQueue::none) return nullptr;
  const Waiting& first = queue_[lanes_[lane].first_waiting];
  if (first.train.bytes > lanes_[lane].allowed) return nullptr;
  const SimTime start = std::max({now, port_.free_at, first.ready});
  if (port_.is_stoppable && start >= control_.stops_at(index_, static_cast<std::uint8_t>(lane)))
    return nullptr;
  return &first;
}

/// When the first of these is ready; time_never: there is none.
SimTime LaneTurns::first_ready(SimTime now) const {
  SimTime ready = time_never;
  for (std::uint32_t lane = 0; lane < port_.lanes; ++lane)
    if (const Waiting* first = head(lane, now)) ready = std::min(ready, first->ready);
  return ready;
}

/// Only where somebody can leave then: what waits for the far end is sent by its message. A later wake that
/// is pending comes to nothing.
void LaneTurns::wake_when_free(Context& context) {
  const SimTime ready = first_ready(context.now());
  if (ready == time_never) return;
  const SimTime at = std::max(std::max(ready, port_.free_at) - line_.ahead, context.now());
  if (line_.wake <= at) return;
  line_.wake = at;
  context.wake(at, to_payload(FlowTimer{.side = FlowTimer::Side::line, .port = index_}));
}

}  // namespace lightrail

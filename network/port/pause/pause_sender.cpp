#include "network/port/pause/pause_sender.hpp"

#include "network/port/pause/pause_flow_control.hpp"
#include "network/port/pause/pause_frame.hpp"

namespace lightrail {

PauseSender::PauseSender(std::span<const PortEnd> ports)
    : terms_(ports.size()), reaction_(ports.size()), classes_(ports.size() * max_lanes) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const PortEnd& end = ports[i];
    const PauseFlowControl* far = pause_control_of(end.far);
    if (!far) continue;
    const PauseFlowControl* own =
        pause_control_of(end.near);  // none: make_receiver of the far end refuses it
    reaction_[i] = (own ? own : far)->reaction(end.out_rate);
    terms_[i] = {.lanes = end.far.lanes, .ahead = reaction_[i]};
  }
}

SendTerms PauseSender::terms(PortIndex port) const {
  return terms_[port];
}

LaneMask PauseSender::on_message(Context& context, PortIndex port, const Payload& message, SendLanes) {
  const auto frame = as<PauseFrame>(message);
  Class& own = classes_[index(port, frame.lane)];
  const bool was_paused = own.stops_at != time_never;
  if (frame.quanta > 0) {
    if (was_paused) return 0;
    own.stops_at = context.now() + reaction_[port];
    own.heard = context.now();
    ++own.use.pauses;
    return 0;
  }
  if (was_paused) own.use.add(own.heard, context.now());
  own.stops_at = time_never;
  return static_cast<LaneMask>(1u << frame.lane);
}

void PauseSender::finish(Context& context) {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    PauseUse use = classes_[i].use;
    if (use.pauses == 0) continue;
    if (classes_[i].stops_at != time_never) use.add(classes_[i].heard, context.now());
    record_pauses(context, i, PauseWay::received, use);
  }
}

}  // namespace lightrail

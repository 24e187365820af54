#include "network/port/pause/pause_sender.hpp"

#include <algorithm>

#include "network/port/pause/pause_flow_control.hpp"
#include "network/port/pause/pause_frame.hpp"
#include "network/wire/numbered_train.hpp"

namespace lightrail {

PauseSender::PauseSender(std::span<const PortEnd> ports)
    : terms_(ports.size()),
      reaction_(ports.size()),
      classes_(ports.size() * max_lanes),
      watchdog_(ports.size() * max_lanes) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const PortEnd& end = ports[i];
    const PauseFlowControl* far = pause_control_of(end.far);
    if (!far) continue;
    const PauseFlowControl* own =
        pause_control_of(end.near);  // none: make_receiver of the far end refuses it
    reaction_[i] = (own ? own : far)->reaction(end.out_rate);
    terms_[i] = {.lanes = end.far.lanes, .ahead = reaction_[i]};
    for (std::uint8_t lane = 0; own && lane < end.far.lanes; ++lane) {
      const Watchdog& rule = own->settings().watchdogs[lane];
      watchdog_.watch(index(static_cast<PortIndex>(i), lane), rule);
      terms_[i].hears_waiting |= rule.detect > SimTime{0};
    }
  }
}

SendTerms PauseSender::terms(PortIndex port) const {
  return terms_[port];
}

LaneMask PauseSender::on_message(Context& context, PortIndex port, const Payload& message, SendLanes lanes) {
  const auto frame = as<PauseFrame>(message);
  const std::size_t which = index(port, frame.lane);
  Class& own = classes_[which];
  const bool was_paused = own.is_paused != 0;
  if (frame.quanta > 0) {
    if (was_paused) return 0;
    own.is_paused = 1;
    own.heard = context.now();
    ++own.use.pauses;
    obey(port, which);
    if (lanes[frame.lane].first_waiting != SendQueue::none) watchdog_.on_stuck(context, which, own.stops_at);
    return 0;
  }
  if (was_paused) {
    own.is_paused = 0;
    own.use.add(own.heard, context.now());
    obey(port, which);
    watchdog_.on_resumed(context, which);
  }
  return static_cast<LaneMask>(1u << frame.lane);
}

/// What its pause and its storm make of a class.
void PauseSender::obey(PortIndex port, std::size_t which) {
  Class& own = classes_[which];
  own.stops_at = own.is_paused != 0 ? own.heard + reaction_[port] : time_never;
  if (!watchdog_.is_storm(which)) return;
  own.stops_at = watchdog_.action(which) == StormAction::drop ? SimTime{0} : time_never;
}

LaneMask PauseSender::on_timer(Context& context, const FlowTimer& timer, SendLanes lanes) {
  const std::size_t which = index(timer.port, static_cast<std::uint8_t>(timer.detail));
  const bool has_waiting = lanes[timer.detail].first_waiting != SendQueue::none;
  if (!watchdog_.on_timer(context, which, classes_[which].is_paused != 0, has_waiting)) return 0;
  obey(timer.port, which);
  return static_cast<LaneMask>(1u << timer.detail);
}

bool PauseSender::on_waiting(Context& context, PortIndex port, const Frame& train, SendLanes lanes) {
  const std::size_t which = index(port, train.lane);
  const bool is_dropping = watchdog_.is_storm(which) && watchdog_.action(which) == StormAction::drop;
  if (is_dropping && may_be_lost(train.kind)) {
    watchdog_.on_discarded(which, train);
    return false;
  }
  const Class& own = classes_[which];
  if (own.is_paused != 0 && lanes[train.lane].first_waiting == SendQueue::none)
    watchdog_.on_stuck(context, which, std::max(own.stops_at, context.now()));
  return true;
}

void PauseSender::finish(Context& context) {
  watchdog_.finish(context);
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    PauseUse use = classes_[i].use;
    if (use.pauses == 0) continue;
    if (classes_[i].is_paused != 0) use.add(classes_[i].heard, context.now());
    record_pauses(context, i, PauseWay::received, use);
  }
}

}  // namespace lightrail

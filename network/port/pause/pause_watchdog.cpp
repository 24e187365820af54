#include "network/port/pause/pause_watchdog.hpp"

#include <algorithm>

#include "network/port/pause/tables.hpp"

namespace lightrail {

/// One timer a class: what it is asked for later it finds out itself.
void PauseWatchdog::ask(Context& context, std::size_t index, SimTime at) {
  Class& own = classes_[index];
  if (own.has_timer != 0) return;
  own.has_timer = 1;
  context.wake(std::max(at, context.now()),
               to_payload(FlowTimer{.side = FlowTimer::Side::sender,
                                    .port = static_cast<PortIndex>(index / max_lanes),
                                    .detail = static_cast<std::uint32_t>(index % max_lanes)}));
}

void PauseWatchdog::on_stuck(Context& context, std::size_t index, SimTime since) {
  Class& own = classes_[index];
  if (!watches(index) || own.is_storm != 0) return;
  own.since = since;
  ask(context, index, since + rules_[index].detect);
}

void PauseWatchdog::on_resumed(Context& context, std::size_t index) {
  Class& own = classes_[index];
  if (own.is_storm == 0) return;
  own.resumed = context.now();
  ask(context, index, own.resumed + rules_[index].restore);
}

bool PauseWatchdog::on_timer(Context& context, std::size_t index, bool is_paused, bool has_waiting) {
  Class& own = classes_[index];
  own.has_timer = 0;
  const bool is_storm = own.is_storm != 0;
  const bool is_under_way = is_storm ? !is_paused : is_paused && has_waiting;
  if (!is_under_way) return false;
  const SimTime due = is_storm ? own.resumed + rules_[index].restore : own.since + rules_[index].detect;
  if (due > context.now()) {
    ask(context, index, due);
    return false;
  }
  if (is_storm) record(context, index, true);
  own.is_storm = is_storm ? 0 : 1;
  own.began = context.now();
  own.discarded = own.discarded_bytes = 0;
  return true;
}

void PauseWatchdog::on_discarded(std::size_t index, const Frame& train) {
  ++classes_[index].discarded;
  classes_[index].discarded_bytes += train.bytes;
}

void PauseWatchdog::record(Context& context, std::size_t index, bool has_ended) const {
  const Class& own = classes_[index];
  record_storm(context, index,
               {own.began, context.now() - own.began, own.discarded, own.discarded_bytes, has_ended});
}

void PauseWatchdog::finish(Context& context) const {
  for (std::size_t i = 0; i < classes_.size(); ++i)
    if (is_storm(i)) record(context, i, false);
}

}  // namespace lightrail

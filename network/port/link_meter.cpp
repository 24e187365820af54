#include "network/port/link_meter.hpp"

#include <algorithm>
#include <array>

#include "engine/model/output_selection.hpp"
#include "network/port/tables.hpp"
#include "network/wire/phase.hpp"

namespace lightrail {

MeterSettings meter_settings(const Model& model) {
  MeterSettings settings;
  if (auto* output = model.resource<OutputSelection>()) {
    settings.is_recorded = output->is_recorded(tables::link_use);
    settings.interval = output->interval;
  }
  return settings;
}

void LinkMeter::write(Context& context, const MeterSettings& settings) {
  if (bytes_ == 0 && busy_ == SimTime{0}) return;
  const std::int64_t interval = interval_end_ / settings.interval - 1;
  if (settings.is_by_traffic) {
    const auto phase = static_cast<Phase>(traffic_.phase());
    const std::int64_t group = is_of_group(phase) ? std::int64_t{traffic_.group_kind()} : -1;
    const std::array<std::int64_t, 6> row{link_.value,      interval, group,
                                          traffic_.phase(), bytes_,   busy_.count()};
    context.record(tables::link_traffic, row);
  } else {
    const std::array<std::int64_t, 4> row{link_.value, interval, bytes_, busy_.count()};
    context.record(tables::link_use, row);
  }
  bytes_ = 0;
  busy_ = SimTime{0};
}

void LinkMeter::roll(Context& context, const MeterSettings& settings, SimTime start, SimTime busy,
                     std::uint32_t payload_bytes) {
  if (!settings.is_recorded) {  // never asked again
    interval_end_ = time_never;
    return;
  }
  if (start >= interval_end_) {
    write(context, settings);
    interval_end_ = (start / settings.interval + 1) * settings.interval;
  }
  bytes_ += payload_bytes;
  while (start + busy > interval_end_) {
    SimTime before = interval_end_ - start;
    busy_ += before;
    busy -= before;
    start = interval_end_;
    write(context, settings);
    interval_end_ += settings.interval;
  }
  busy_ += busy;
}

void LinkMeter::add_run(Context& context, const MeterSettings& settings, SimTime start, SimTime period,
                        SimTime busy, std::uint32_t payload_bytes, std::uint32_t count) {
  while (count > 0) {
    // Those that end in the interval at hand are counted at once.
    const SimTime room = interval_end_ - (start + busy);
    if (room < SimTime{0}) {
      add(context, settings, start, busy, payload_bytes);
      start += period;
      --count;
      continue;
    }
    const std::int64_t within =
        period == SimTime{0} ? count : std::min<std::int64_t>(count, room / period + 1);
    total_bytes_ += within * payload_bytes;
    bytes_ += within * payload_bytes;
    busy_ += within * busy;
    start += within * period;
    count -= static_cast<std::uint32_t>(within);
  }
}

void LinkMeter::finish(Context& context, const MeterSettings& settings) {
  if (settings.is_recorded) write(context, settings);
}

}  // namespace lightrail

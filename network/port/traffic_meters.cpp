#include "network/port/traffic_meters.hpp"

#include <algorithm>

#include "engine/model/output_selection.hpp"
#include "network/port/tables.hpp"
#include "network/transport/queue_pairs.hpp"
#include "network/wire/phase.hpp"

namespace lightrail {
namespace {

/// The connection without what link_traffic does not tell apart: channels, and operations of I/O.
Connection traffic_of(Connection connection) {
  const std::uint32_t phase = connection.phase();
  return Connection::make(is_of_group(static_cast<Phase>(phase)) ? connection.group_kind() : 0, 0, phase);
}

}  // namespace

TrafficMeters::TrafficMeters(const BuildContext& build) : pairs_(build.model.resource<QueuePairs>()) {
  const auto* output = build.model.resource<OutputSelection>();
  if (!output || !output->is_recorded(tables::link_traffic)) return;
  settings_ = {.interval = output->interval, .is_recorded = true, .is_by_traffic = true};
  for (std::uint32_t i = 0; i < build.record.port_count; ++i)
    links_.push_back(build.model.ports[build.record.first_port + i].out);
  by_port_.resize(links_.size());
}

LinkMeter& TrafficMeters::meter_of(PortIndex port, Connection connection) {
  std::vector<LinkMeter>& meters = by_port_[port];
  const Connection traffic = traffic_of(pairs_ ? pairs_->whole(connection) : connection);
  auto place = std::lower_bound(
      meters.begin(), meters.end(), traffic,
      [](const LinkMeter& meter, const Connection& other) { return meter.traffic().value < other.value; });
  if (place == meters.end() || place->traffic() != traffic)
    place = meters.insert(place, LinkMeter(links_[port], traffic));
  return *place;
}

void TrafficMeters::add(Context& context, PortIndex port, Connection connection, SimTime start, SimTime busy,
                        std::uint32_t payload_bytes) {
  meter_of(port, connection).add(context, settings_, start, busy, payload_bytes);
}

void TrafficMeters::add_run(Context& context, PortIndex port, Connection connection, SimTime start,
                            SimTime period, SimTime busy, std::uint32_t payload_bytes, std::uint32_t count) {
  meter_of(port, connection).add_run(context, settings_, start, period, busy, payload_bytes, count);
}

void TrafficMeters::finish(Context& context) {
  for (auto& meters : by_port_)
    for (LinkMeter& meter : meters) meter.finish(context, settings_);
}

void TrafficMeters::save(StateWriter& out) const {
  for (const auto& meters : by_port_) out.put(meters);
}

void TrafficMeters::load(StateReader& in) {
  for (auto& meters : by_port_) in.get(meters);
}

}  // namespace lightrail

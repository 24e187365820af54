#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "engine/base/bytes_in.hpp"
#include "network/port/egress_bank.hpp"
#include "network/port/tables.hpp"

/// What ports are counted in, and records of it (LineRecord).
namespace lightrail {

void EgressBank::count_all(Context& context, PortIndex port, const Frame& train, SimTime ready, SimTime start,
                           SimTime busy) {
  if (counts_queues_) count_of(port, train.lane).add(context.now(), ready, start, start + busy);
  const std::uint32_t payload_bytes = is_payload(train.kind) ? train.bytes : 0;
  if (!recordings_.empty())
    if (LineRecording* recording = recording_of(port)) {
      recording->record.is_plain &= train.lane == 0;
      recording->record.least_allowed =
          std::min(recording->record.least_allowed, ports_[port].near[0].allowed);
      if (ports_.has_partners() || traffic_meters_.is_on())
        recording->record.add(start - recording->begin, busy, payload_bytes, train.address.connection());
    }
  if (traffic_meters_.is_on())
    traffic_meters_.add(context, port, train.address.connection(), start, busy, payload_bytes);
  if (ports_.has_partners())
    ports_.partner(port).meter.add(context, meter_settings_, start, busy, payload_bytes);
}

void EgressBank::finish(Context& context) {
  for (const auto& control : controls_) control->finish(context);
  traffic_meters_.finish(context);
  if (counts_queues_)  // of records that the run's end cuts off
    for (const LineRecording& each : recordings_) count_of(each.port, 0).add_all(each.before);
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Port& p = ports_[i];
    if (!p.is_connected) continue;
    if (ports_.has_partners()) ports_.partner(i).meter.finish(context, meter_settings_);
    if (!counts_queues_) continue;
    for (std::uint32_t k = 0; k < std::max<std::uint32_t>(p.lanes, 1); ++k) {
      const LaneCount& lane = count_of(static_cast<PortIndex>(i), static_cast<std::uint8_t>(k));
      if (lane.total_wait == SimTime{0}) continue;
      std::int64_t backlog = std::max(bytes_in(lane.max_ahead, p.line.rate()), lane.max_waiting);
      std::array<std::int64_t, 4> row{static_cast<std::int64_t>(i), k, backlog, lane.total_wait.count()};
      context.record(tables::queue, row);
    }
  }
}

double EgressBank::link_energy_pj() const {
  double sum = 0;
  for (std::size_t i = 0; i < ports_.size(); ++i)
    sum += energy_pj_per_byte_[i] * static_cast<double>(ports_[i].carried_bytes);
  return sum;
}

SimTime EgressBank::longest_busy() const {
  SimTime longest{};
  for (const Port& p : ports_)
    if (p.line.rate().value != 0)
      longest = std::max(longest, transfer_time(Bytes{p.carried_bytes}, p.line.rate()));
  return longest;
}

void EgressBank::set_counted(PortIndex port, bool is_recorded) {
  Port& p = ports_[port];
  p.is_counted = is_recorded || ports_.has_partners() || traffic_meters_.is_on();
  p.is_metered = !is_recorded && ports_.has_partners() && !traffic_meters_.is_on();
}

LineRecording* EgressBank::recording_of(PortIndex port) {
  const auto found = std::find_if(recordings_.begin(), recordings_.end(),
                                  [port](const LineRecording& each) { return each.port == port; });
  return found == recordings_.end() ? nullptr : &*found;
}

void EgressBank::start_record(PortIndex port, SimTime begin) {
  LIGHTRAIL_EXPECT(recording_of(port) == nullptr);
  LineRecording recording;
  recording.port = port;
  recording.begin = begin;
  recording.carried_before = ports_[port].carried_bytes;
  // Counted anew, so that the largest backlog is that of the stretch.
  if (counts_queues_) recording.before = std::exchange(count_of(port, 0), {});
  recordings_.push_back(std::move(recording));
  set_counted(port, true);
}

LineRecord EgressBank::take_record(PortIndex port) {
  LineRecording* recording = recording_of(port);
  LIGHTRAIL_EXPECT(recording != nullptr);
  LineRecord record = std::move(recording->record);
  record.carried_bytes = ports_[port].carried_bytes - recording->carried_before;
  if (counts_queues_) {
    const LaneCount during = std::exchange(count_of(port, 0), recording->before);
    record.queue = during;
    count_of(port, 0).add_all(during);
  }
  recordings_.erase(recordings_.begin() + (recording - recordings_.data()));
  set_counted(port, false);
  return record;
}

void EgressBank::carry(Context& context, PortIndex port, const LineRecord& record, SimTime begin) {
  ports_[port].carried_bytes += record.carried_bytes;
  if (counts_queues_) count_of(port, 0).add_all(record.queue);
  for (const LineRecord::Run& run : record.runs) {
    if (traffic_meters_.is_on())
      traffic_meters_.add_run(context, port, run.connection, begin + run.start, run.period, run.busy,
                              run.payload_bytes, run.count);
    if (ports_.has_partners())
      ports_.partner(port).meter.add_run(context, meter_settings_, begin + run.start, run.period, run.busy,
                                         run.payload_bytes, run.count);
  }
}

void EgressBank::set_owed(PortIndex port, std::uint32_t unreported) {
  LIGHTRAIL_EXPECT(ports_[port].subtracts && unreported <= ports_[port].capacity);
  ports_[port].near[0].allowed = ports_[port].capacity - unreported;
}

}  // namespace lightrail

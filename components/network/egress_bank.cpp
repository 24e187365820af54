#include "components/network/egress_bank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/model/output_selection.hpp"
#include "engine/model/tables.hpp"

namespace lightrail {
namespace {

/// Credits of a port without flow control; never runs out, never overflows.
constexpr std::int64_t unlimited = std::int64_t{1} << 62;

/// Bytes that a line of `rate` carries in `time`, rounded down; for statistics.
std::int64_t bytes_in(SimTime time, BitRate rate) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(static_cast<Wide>(time.count()) * rate.value / 8'000'000'000'000);
}

}  // namespace

EgressBank::EgressBank(const BuildContext& build)
    : model_(&build.model), meter_settings_(meter_settings(build.model)), ports_(build.record.port_count) {
  if (auto* output = build.model.resource<OutputSelection>())
    is_queue_recorded_ = output->is_recorded(tables::queue);
  energy_pj_per_byte_.resize(ports_.size());
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    PortEnd end = port_end(build, static_cast<PortIndex>(i));
    Port& port = ports_[i];
    port.is_connected = end.is_connected;
    port.link = end.out;
    port.line = LineTime(end.out_rate);
    port.ps_per_byte = end.out_rate.value == 0 ? SimTime{0} : transfer_time(Bytes{1}, end.out_rate);
    port.lanes = end.far.lanes;
    port.capacity = end.far.lanes == 0 ? unlimited : end.far.bytes;
    port.first_lane = static_cast<std::uint32_t>(lanes_.size());
    if (end.is_connected && !LineErrors::is_clean(*end.light)) {
      port.errors = static_cast<std::uint16_t>(errors_.size());
      errors_.emplace_back(build, static_cast<std::uint32_t>(i), *end.light, end.train_bytes());
    }
    energy_pj_per_byte_[i] = end.energy_pj_per_bit * 8;
    for (std::uint32_t k = 0; k < std::max<std::uint32_t>(port.lanes, 1); ++k)
      lanes_.emplace_back().credits = port.capacity;
  }
}

std::size_t EgressBank::lane_index(const Context& context, PortIndex port, std::uint8_t lane) const {
  const Port& p = ports_[port];
  if (p.lanes == 0) return p.first_lane;
  if (lane >= p.lanes)
    throw SimulationError(
        context.now(), model_->component_name(context.self()),
        fmt::format("port {} has no virtual lane {} (its far end has {})", port, lane, p.lanes));
  return p.first_lane + lane;
}

bool EgressBank::has_credit(PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                            const Context& context) const {
  const Lane& l = lanes_[lane_index(context, port, lane)];
  return l.first_waiting == WaitingPool::none && l.credits >= bytes;
}

std::optional<SimTime> EgressBank::offer(Context& context, PortIndex port, const Payload& train,
                                         SimTime ready, PortIndex from) {
  Port& p = ports_[port];
  LIGHTRAIL_EXPECT(p.is_connected);
  Lane& lane = lanes_[lane_index(context, port, train.lane)];
  if (lane.first_waiting == WaitingPool::none && lane.credits >= train.bytes)
    return put(context, port, lane, train, ready);
  if (train.bytes > p.capacity)
    throw SimulationError(
        context.now(), model_->component_name(context.self()),
        fmt::format("a train of {} B does not fit the {} B buffer at the far end of port {}", train.bytes,
                    p.capacity, port));
  pool_.push(lane.first_waiting, lane.last_waiting, Waiting{train, ready, WaitingPool::none, from, 0});
  p.waiting_bytes += train.bytes;
  lane.max_waiting = std::max(lane.max_waiting, p.waiting_bytes);
  return std::nullopt;
}

SimTime EgressBank::put(Context& context, PortIndex port, Lane& lane, const Payload& train, SimTime ready) {
  Port& p = ports_[port];
  SimTime start = std::max({ready, context.now(), p.free_at});
  SimTime busy = p.line.of(train.bytes);
  if (p.errors != no_errors) start = errors_[p.errors].last_start(start, busy, train.bytes);
  p.free_at = start + busy;
  lane.credits -= train.bytes;
  lane.total_wait += start - ready;
  lane.max_ahead = std::max(lane.max_ahead, p.free_at - std::max(ready, context.now()));
  bool is_payload = kind_of(train) == WireKind::train;
  p.meter.add(context, meter_settings_, p.link, start, busy, is_payload ? train.bytes : 0);
  context.send(port, start, train);
  return p.free_at;
}

EgressBank::Lane& EgressBank::take_credit(const Context& context, PortIndex port, const Payload& credit) {
  Lane& lane = lanes_[lane_index(context, port, credit.lane)];
  lane.credits += credit.bytes;
  LIGHTRAIL_EXPECT(lane.credits <= ports_[port].capacity);  // bytes are conserved
  return lane;
}

void EgressBank::finish(Context& context) {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Port& p = ports_[i];
    if (!p.is_connected) continue;
    p.meter.finish(context, meter_settings_, p.link);
    for (std::uint32_t k = 0; is_queue_recorded_ && k < std::max<std::uint32_t>(p.lanes, 1); ++k) {
      const Lane& lane = lanes_[p.first_lane + k];
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
    sum += energy_pj_per_byte_[i] * static_cast<double>(ports_[i].meter.total_bytes());
  return sum;
}

SimTime EgressBank::longest_busy() const {
  SimTime longest{};
  for (const Port& port : ports_) longest = std::max(longest, port.meter.total_busy());
  return longest;
}

std::vector<std::string> EgressBank::waits_for() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < ports_.size(); ++i)
    for (std::uint32_t k = 0; k < std::max<std::uint32_t>(ports_[i].lanes, 1); ++k) {
      std::int64_t count = 0, bytes = 0;
      for (auto w = lanes_[ports_[i].first_lane + k].first_waiting; w != WaitingPool::none; w = pool_[w].next)
        ++count, bytes += pool_[w].train.bytes;
      if (count > 0)
        all.push_back(fmt::format("port {} lane {}: {} trains ({} B) wait for credits", i, k, count, bytes));
    }
  return all;
}

void EgressBank::save(StateWriter& out) const {
  for (const Port& p : ports_) out.put(p.free_at), out.put(p.waiting_bytes), out.put(p.meter);
  out.put(lanes_);
  for (const LineErrors& errors : errors_) errors.save(out);
  pool_.save(out);
}

void EgressBank::load(StateReader& in) {
  for (Port& p : ports_) in.get(p.free_at), in.get(p.waiting_bytes), in.get(p.meter);
  in.get(lanes_);
  for (LineErrors& errors : errors_) errors.load(in);
  pool_.load(in);
}

}  // namespace lightrail

#include "network/port/egress_bank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>

#include "engine/base/bytes_in.hpp"
#include "engine/model/output_selection.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/tables.hpp"
#include "network/wire/link_change.hpp"

namespace lightrail {
namespace {

bool is_any_recorded(const BuildContext& build, std::initializer_list<TableId> some) {
  const auto* output = build.model.resource<OutputSelection>();
  return output && std::any_of(some.begin(), some.end(),
                               [output](TableId table) { return output->is_recorded(table); });
}

}  // namespace

EgressBank::EgressBank(const BuildContext& build, std::span<const PortEnd> ends)
    : meter_settings_(meter_settings(build.model)),
      model_(&build.model),
      energy_pj_per_byte_(build.record.port_count),
      traffic_meters_(build),
      control_of_(std::make_unique<SendControl*[]>(build.record.port_count)),
      ports_(build.record.port_count, is_any_recorded(build, {tables::link_use, tables::queue})) {
  if (auto* output = build.model.resource<OutputSelection>()) {
    counts_queues_ = output->is_recorded(tables::queue);
    if (ports_.has_partners())
      for (std::size_t i = 0; i < ports_.size(); ++i)
        ports_.partner(i).meter = LinkMeter(build.model.ports[build.record.first_port + i].out);
  }
  if (const auto* health = build.model.resource<HealthTable>(); health && health->has_outages()) {
    health_ = health;
    for (std::size_t i = 0; i < ports_.size(); ++i)
      links_.push_back(build.model.ports[build.record.first_port + i].out);
  }
  const auto* weights = build.model.resource<LaneWeights>();
  if (role_of(build.spec) != DeviceRole::packet_switch) weights = nullptr;  // a NIC's Injector takes turns
  std::uint32_t longest = 1;                                                // train of any port
  for (const PortEnd& end : ends) longest = std::max(longest, end.train_bytes());
  std::map<const FlowControlKind*, SendControl*> made;  // looked up, never iterated
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const PortEnd& end = ends[i];
    Port& port = ports_[i];
    SendControl*& control = made[end.far.control];
    if (!control) control = controls_.emplace_back(end.far.control->make_sender(ends)).get();
    control_of_[i] = control;
    const SendTerms terms = control->terms(static_cast<PortIndex>(i));
    LIGHTRAIL_EXPECT(terms.lanes <= max_lanes);
    port.is_connected = end.is_connected;
    port.counts_queue = counts_queues_;
    set_counted(static_cast<PortIndex>(i), false);
    port.line = LineTime(end.out_rate);
    port.lanes = static_cast<std::uint8_t>(terms.lanes);
    port.lanes_here = static_cast<std::uint8_t>(std::clamp(terms.lanes, 1u, near_lanes));
    port.capacity = terms.capacity;
    port.subtracts = terms.leaving == SendTerms::Leaving::subtracted;
    port.tells = terms.leaving == SendTerms::Leaving::told;
    port.fails = health_ && end.is_connected && health_->has_outages(links_[i]);
    if (end.is_connected && !LineErrors::is_clean(*end.light)) {
      port.errs = true;
      errors_by_port_.resize(ports_.size());
      errors_by_port_[i] = static_cast<std::uint16_t>(errors_.size());
      errors_.emplace_back(build, static_cast<std::uint32_t>(i), *end.light, end.train_bytes());
    }
    port.hears_waiting = terms.hears_waiting;
    port.is_stoppable = terms.ahead != time_never;
    if (port.is_stoppable || (weights && (port.subtracts || port.tells) && port.lanes > 1)) {
      port.takes_turns = true;
      turns_.resize(ports_.size());
      turns_[i].arbiter = LaneArbiter(weights ? *weights : LaneWeights{}, longest);
      turns_[i].packet_bytes = end.mtu_bytes;
      if (port.is_stoppable) turns_[i].ahead = terms.ahead;
    }
    port.is_plain = port.is_connected && !port.errs && !port.fails && !port.tells && !port.takes_turns;
    port.is_clear = is_clear_for_good(port);
    energy_pj_per_byte_[i] = end.energy_pj_per_bit * 8;
    for (SendLane& lane : port.near) lane.allowed = terms.allowed;
    if (counts_queues_ && port.lanes > 1) far_counts_.resize(ports_.size() * (max_lanes - 1));
    if (port.lanes <= near_lanes) continue;
    far_lanes_.resize(ports_.size() * (max_lanes - near_lanes));
    for (std::uint32_t k = near_lanes; k < port.lanes; ++k)
      far_lane(static_cast<PortIndex>(i), k).allowed = terms.allowed;
  }
  ask_for_credits();
}

void EgressBank::refuse_lane(const Context& context, PortIndex port, std::uint8_t lane) const {
  throw SimulationError(
      context.now(), model_->component_name(context.self()),
      fmt::format("port {} has no virtual lane {} (its far end has {})", port, lane, ports_[port].lanes));
}

SendLane& EgressBank::other_lane(const Context& context, PortIndex port, std::uint8_t lane) {
  Port& p = ports_[port];
  if (p.lanes == 0) return p.near[0];
  if (lane >= p.lanes) refuse_lane(context, port, lane);
  return far_lane(port, lane);
}

bool EgressBank::can_interleave(const Context& context, PortIndex port, std::uint8_t lane,
                                std::uint32_t bytes, SimTime ready, std::uint32_t mtu_bytes,
                                std::uint32_t train_bytes) const {
  if (may_send(port, lane, bytes, ready, context)) return true;
  const Port& p = ports_[port];
  return !p.errs && !p.fails && lane_of(p, context, port, lane).first_waiting == SendQueue::none &&
         p.line.of(mtu_bytes) > SimTime{0} && p.free_at - ready > p.line.of(train_bytes) &&
         control_of_[port]->can_borrow(port, lane, bytes, mtu_bytes);
}

SimTime EgressBank::send_interleaved(Context& context, PortIndex port, const Frame& message, SimTime ready,
                                     std::uint32_t mtu_bytes) {
  Port& p = ports_[port];
  SendLane& lane = lane_of(p, context, port, message.lane);
  const SimTime packet = p.line.of(mtu_bytes);
  if (p.errs || p.fails || p.free_at <= ready || packet == SimTime{0})
    return put(context, port, p, lane, message, ready);
  const SimTime start = ready + (p.free_at - ready) % packet, busy = p.line.of(message.bytes);
  p.free_at += busy;
  if (lane.allowed < message.bytes) {
    control_of_[port]->borrow(port, message.lane, message.bytes, lane);
    p.adds_credits = false;
  }
  return leave(context, port, lane, message, ready, start, busy);
}

SimTime EgressBank::put_on_line(Context& context, PortIndex port, SendLane& lane, const Frame& train,
                                SimTime ready, SimTime start, SimTime busy) {
  Port& p = ports_[port];
  LIGHTRAIL_EXPECT(p.is_connected);
  if (p.errs) start = errors_of(port).last_start(start, busy, train.bytes);
  if (p.takes_turns && start > p.free_at) turns_[port].busy_from = start;
  if (p.fails)
    if (const SimTime cut = cut_at(port, start, busy); cut != time_never) {
      p.free_at = cut;
      cut_off(train, port);
      return context.now();
    }
  p.free_at = start + busy;
  return leave(context, port, lane, train, ready, start, busy);
}

bool EgressBank::send_past_failure(Context& context, PortIndex port, const Frame& train) {
  Port& p = ports_[port];
  const SimTime now = context.now(), start = std::max(now, p.free_at), busy = p.line.of(train.bytes);
  if (!may_send(port, train.lane, train.bytes, now, context)) return false;
  if (p.takes_turns && start > p.free_at) turns_[port].busy_from = start;
  p.free_at = start + busy;
  leave(context, port, lane_of(p, context, port, train.lane), train, now, start, busy);
  return true;
}

SimTime EgressBank::leave(Context& context, PortIndex port, SendLane& lane, const Frame& train, SimTime ready,
                          SimTime start, SimTime busy) {
  Port& p = ports_[port];
  if (p.subtracts) lane.allowed -= train.bytes;
  p.carried_bytes += train.bytes;
  if (p.is_counted) count(context, port, p, train, ready, start, busy);
  context.send(port, start, to_payload(train));
  if (p.tells) control_of_[port]->on_left(context, port, train, start + busy, lanes_of(port));
  return start + busy;
}

/// Neither in link_use nor in link_traffic, which have what devices send one another.
void EgressBank::send_frame(Context& context, PortIndex port, std::uint32_t bytes, const Payload& message) {
  Port& p = ports_[port];
  LIGHTRAIL_EXPECT(p.takes_turns);  // whoever sends frames is sent some, and stops lanes
  LineTurns& turns = turns_[port];
  const SimTime now = context.now(), busy = p.line.of(bytes), packet = p.line.of(turns.packet_bytes);
  const SimTime start = turns.place_frame(now, p.free_at, packet, busy);
  p.free_at = std::max(p.free_at, now) + busy;
  p.carried_bytes += bytes;
  context.send(port, start + busy, message);
}

void EgressBank::send_first(Context& context, PortIndex port, const Frame& frame, SimTime ready) {
  Port& p = ports_[port];
  LIGHTRAIL_EXPECT(p.takes_turns);
  SendLane& lane = lane_of(p, context, port, frame.lane);
  if (p.errs || p.fails) {  // behind what has the line: what errs or fails does so in order
    put(context, port, p, lane, frame, ready);
    return;
  }
  LineTurns& turns = turns_[port];
  const SimTime busy = p.line.of(frame.bytes);
  const SimTime start = turns.place_frame(ready, p.free_at, p.line.of(turns.packet_bytes), busy);
  if (start > p.free_at) turns.busy_from = start;
  p.free_at = std::max(p.free_at, ready) + busy;
  leave(context, port, lane, frame, ready, start, busy);
}

/// A train takes its credits when it gets the line, which may be long before it begins. Credits that a port
/// has left when it begins to send are those and what later trains have taken.
EgressBank::Queue EgressBank::queue(PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                                    const Context& context) const {
  const Port& p = ports_[port];
  const std::int64_t on_line = bytes_in(std::max(p.free_at - context.now(), SimTime{0}), p.line.rate());
  const std::int64_t given_ahead = std::max(on_line - bytes, std::int64_t{0});
  const std::int64_t waiting = p.takes_turns ? turns_[port].waiting[lane] : p.waiting_bytes;
  const SendLane& own = lane_of(p, context, port, lane);
  const std::uint32_t first = own.first_waiting == SendQueue::none ? 0 : pool_[own.first_waiting].train.bytes;
  return {on_line + waiting, own.allowed + given_ahead >= std::max(bytes, first)};
}

SimTime EgressBank::next_change(PortIndex port, SimTime now) const {
  return ports_[port].fails ? health_->next_change(links_[port], now) : time_never;
}

bool EgressBank::is_down_for_routing(PortIndex port, SimTime now) const {
  return !health_->is_up(links_[port], now, Observer::routing);
}

bool EgressBank::is_up(PortIndex port, SimTime now) const {
  return health_->is_up(links_[port], now);
}

SimTime EgressBank::cut_at(PortIndex port, SimTime start, SimTime busy) const {
  return health_->cut_at(links_[port], start, busy);
}

void EgressBank::mark_dark(PortIndex port, SimTime until) {
  dark_until_.resize(ports_.size());
  dark_until_[port] = std::max(dark_until_[port], until);
  ports_[port].was_dark = true;
  ports_[port].is_clear = false;
}

/// Where trains wait for the far end of a link that goes down nothing comes that would set them free.
void EgressBank::watch(Context& context, PortIndex port) {
  Port& p = ports_[port];
  const SimTime change = next_change(port, context.now());
  if (p.is_watched || p.waiting_bytes == 0 || change == time_never) return;
  p.is_watched = true;
  context.wake(change, to_payload(LinkChange{.port = port}));
}

std::optional<Waiting> EgressBank::take_discarded(Context& context, PortIndex port, std::uint32_t lane) {
  const SendLanes lanes = lanes_of(port);
  const std::uint32_t first = lanes[lane].first_waiting;
  if (first == SendQueue::none || may_wait(context, port, pool_[first].train)) return std::nullopt;
  return take_first(port, ports_[port], lanes[lane]);
}

std::optional<SimTime> EgressBank::wait(Context& context, PortIndex port, SendLane& lane, const Frame& train,
                                        SimTime ready, PortIndex from, std::uint8_t from_lane) {
  Port& p = ports_[port];
  if (p.hears_waiting && !may_wait(context, port, train)) return context.now();
  if (train.bytes > p.capacity)
    throw SimulationError(
        context.now(), model_->component_name(context.self()),
        fmt::format("a train of {} B does not fit the {} B buffer at the far end of port {}", train.bytes,
                    p.capacity, port));
  pool_.push(lane.first_waiting, lane.last_waiting,
             Waiting{train, ready, SendQueue::none, from, from_lane, 0});
  p.waiting_bytes += train.bytes;
  if (p.fails) watch(context, port);
  if (p.takes_turns) {
    turns_[port].waiting[train.lane] += train.bytes;
    lane_turns(port).wake_when_free(context);
  }
  if (!p.counts_queue) return std::nullopt;
  LaneCount& count = count_of(port, train.lane);
  count.max_waiting = std::max(count.max_waiting, p.waiting_bytes);
  return std::nullopt;
}

std::vector<BufferWait> EgressBank::buffer_waits() const {
  std::vector<BufferWait> all;
  for (std::size_t i = 0; i < ports_.size(); ++i)
    for (std::uint32_t k = 0; k < ports_[i].lanes; ++k)
      for (auto w = waiting_lane(i, k).first_waiting; w != SendQueue::none; w = pool_[w].next) {
        const BufferWait wait{pool_[w].from, static_cast<PortIndex>(i), pool_[w].from_lane,
                              static_cast<std::uint8_t>(k)};
        if (wait.in != self_port && std::find(all.begin(), all.end(), wait) == all.end()) all.push_back(wait);
      }
  return all;
}

const SendLane& EgressBank::waiting_lane(std::size_t port, std::uint32_t lane) const {
  return lane < near_lanes ? ports_[port].near[lane]
                           : far_lanes_[port * (max_lanes - near_lanes) + lane - near_lanes];
}

std::vector<std::string> EgressBank::waits_for() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < ports_.size(); ++i)
    for (std::uint32_t k = 0; k < std::max<std::uint32_t>(ports_[i].lanes, 1); ++k) {
      std::int64_t count = 0, bytes = 0;
      const SendLane& lane = waiting_lane(i, k);
      for (auto w = lane.first_waiting; w != SendQueue::none; w = pool_[w].next)
        ++count, bytes += pool_[w].train.bytes;
      if (count > 0)
        all.push_back(fmt::format("port {} lane {}: {} trains ({} B) wait for {}", i, k, count, bytes,
                                  awaited(static_cast<PortIndex>(i))));
    }
  return all;
}

void EgressBank::ask_for_credits() {
  for (std::size_t i = 0; i < ports_.size(); ++i)
    ports_[i].adds_credits = control_of_[i]->terms(static_cast<PortIndex>(i)).adds_credits;
}

void EgressBank::save(StateWriter& out) const {
  for (const Port& p : ports_) p.save(out);
  if (ports_.has_partners())
    for (std::size_t i = 0; i < ports_.size(); ++i) out.put(ports_.partner(i));
  out.put(dark_until_);
  for (const LineTurns& turns : turns_) turns.save(out);
  out.put(far_lanes_), out.put(far_counts_);
  traffic_meters_.save(out);
  for (const LineErrors& errors : errors_) errors.save(out);
  for (const auto& control : controls_) control->save(out);
  pool_.save(out);
  out.put(recordings_.size());
  for (const LineRecording& each : recordings_) each.save(out);
}

void EgressBank::load(StateReader& in) {
  for (Port& p : ports_) p.load(in);
  if (ports_.has_partners())
    for (std::size_t i = 0; i < ports_.size(); ++i) in.get(ports_.partner(i));
  in.get(dark_until_);
  for (std::size_t i = 0; i < dark_until_.size(); ++i) {
    Port& p = ports_[i];
    p.was_dark = dark_until_[i] > SimTime{0};
    p.is_clear = is_clear_for_good(p);
  }
  for (LineTurns& turns : turns_) turns.load(in);
  in.get(far_lanes_), in.get(far_counts_);
  traffic_meters_.load(in);
  for (LineErrors& errors : errors_) errors.load(in);
  for (const auto& control : controls_) control->load(in);
  ask_for_credits();
  pool_.load(in);
  for (const LineRecording& each : recordings_) set_counted(each.port, false);
  std::size_t count = 0;
  in.get(count);
  recordings_.assign(count, {});
  for (LineRecording& each : recordings_) {
    each.load(in);
    set_counted(each.port, true);
  }
}

}  // namespace lightrail

#include "network/port/injector.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/bytes_in.hpp"
#include "network/port/device_traits.hpp"
#include "network/transport/dcqcn_rates.hpp"
#include "network/transport/injection_rates.hpp"
#include "network/wire/delegated_train.hpp"
#include "network/wire/injector_wake.hpp"
#include "network/wire/repair_timer.hpp"
#include "network/wire/train.hpp"

namespace lightrail {
namespace {

/// Null where this port's lanes take no turns.
const LaneWeights* weights_of(const BuildContext& build, const PortEnd& end) {
  const bool has_lanes = end.far.lanes > 1 && role_of(build.spec) == DeviceRole::nic;
  return has_lanes ? build.model.resource<LaneWeights>() : nullptr;
}

bool enters_fabric(const BuildContext& build, PortIndex port) {
  return role_of(build.spec) == DeviceRole::nic && port < fabric_ports_of(build.spec);
}

std::uint32_t mtu_of(const PortEnd& end) {
  return std::max<std::uint32_t>(end.mtu_bytes, 1);
}
std::uint32_t train_of(const PortEnd& end) {
  return std::max<std::uint32_t>(end.train_bytes(), 1);
}
std::uint32_t lanes_of(const PortEnd& end) {
  return std::max<std::uint32_t>(end.far.lanes, 1);
}

/// Rings of control by lane, then of payload by source and lane.
FlowTurns turns_of(const PortEnd& end, std::size_t sources, bool enters_fabric) {
  constexpr std::uint32_t all_rings = 0xffffffff;  // take turns as they stand
  const std::uint32_t lanes = lanes_of(end);
  return {lanes * static_cast<std::uint32_t>(1 + sources),
          enters_fabric && train_of(end) > mtu_of(end) ? lanes : all_rings, train_of(end)};
}

/// Only what enters a fabric is paced; null where nothing is.
std::unique_ptr<FlowPacing> pacing_of(const BuildContext& build, const PortEnd& end, bool enters_fabric) {
  if (!enters_fabric) return nullptr;
  if (const auto* congestion = build.model.resource<CongestionControl>())
    return std::make_unique<InjectionRates>(*congestion);
  if (const auto* dcqcn = build.model.resource<Dcqcn>())
    return std::make_unique<DcqcnRates>(dcqcn->spec, end.out_rate);
  return nullptr;
}

std::uint64_t key_of(EndpointId from, EndpointId to, Connection connection) {
  return Address(from, to, connection).word();
}

}  // namespace

Injector::Injector(const BuildContext& build, PortIndex port, std::uint32_t wake_tag,
                   const std::vector<Source>& sources, SimTime latency, BitRate all_lines)
    : Injector(build, port_end(build, port), port, wake_tag, sources, latency, all_lines,
               lightrail::enters_fabric(build, port)) {}

Injector::Injector(const BuildContext& build, const PortEnd& end, PortIndex port, std::uint32_t wake_tag,
                   const std::vector<Source>& sources, SimTime latency, BitRate all_lines, bool enters_fabric)
    : turns_(turns_of(end, sources.size(), enters_fabric)),
      port_(port),
      wake_tag_(wake_tag),
      mtu_bytes_(mtu_of(end)),
      train_bytes_(train_of(end)),
      lanes_(lanes_of(end)),
      latency_(latency),
      ahead_(end.send_ahead),
      weights_(weights_of(build, end)),
      enters_fabric_(enters_fabric),
      sources_(sources.size()),
      lengths_(end, enters_fabric),
      own_pacing_(pacing_of(build, end, enters_fabric)),
      arbiter_(weights_ ? *weights_ : LaneWeights{}, train_bytes_) {
  pacing_ = own_pacing_.get();
  const BitRate lines = all_lines.value != 0 ? all_lines : end.out_rate;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    BitRate rate = sources[i].read_rate;
    // A source as fast as the lines has read a train before one is free again.
    if (rate.value != 0 && (lines.value == 0 || rate < lines)) sources_[i].reader = LineTime(rate);
  }
}

void Injector::post(const Outgoing& message, SimTime now) {
  add(message, now, Order::last);
}

void Injector::post_first(const Outgoing& message, SimTime now) {
  add(message, now, Order::first);
}

void Injector::add(const Outgoing& message, SimTime now, Order order) {
  LIGHTRAIL_EXPECT(message.bytes > 0 && message.source < sources_.size());
  std::uint32_t lane =
      std::min<std::uint32_t>(message.lane, lanes_ - 1);  // a lane too high fails when it is sent
  Message own{
      {message.kind, message.lane, message.mark, 0, Address(message.from, message.to, message.connection)},
      message.bytes,
      message.token,
      none,
      message.is_counted ? SentBatch::counted() : SentBatch()};
  own.head.bytes = message.longest != 0 ? lengths_.of_part(message.longest)
                                        : lengths_.of_message(message.kind, message.bytes);
  ++active_messages_;
  active_bytes_ += message.bytes;
  if (plain_kind(message.kind) == MessageKind::control) {
    LIGHTRAIL_EXPECT(message.bytes <= train_bytes_);
    turns_.add(lane, own);
    return;
  }
  SourceState& source = sources_[message.source];
  if (source.active++ == 0) read_at(message.source) = std::max(read_at(message.source), now);
  const std::uint64_t key = key_of(message.from, message.to, message.connection);
  const std::uint32_t place = index_.find(key);
  if (place == FlowIndex::none) {
    index_.insert(key, turns_.add(lanes_ + message.source * lanes_ + lane, own));
    return;
  }
  FlowTurns::Flow& flow = turns_[place];
  if (order == Order::first) std::swap(own, flow.message);
  const std::uint32_t index = keep_waiting(own);
  if (flow.first == none) {
    flow.first = flow.last = index;
  } else if (order == Order::first) {
    waiting_[index].next = flow.first;
    flow.first = index;
  } else {
    waiting_[flow.last].next = index;
    flow.last = index;
  }
}

/// Returns its place.
std::uint32_t Injector::keep_waiting(const Message& message) {
  std::uint32_t index = free_waiting_;
  if (index == none) {
    index = static_cast<std::uint32_t>(waiting_.size());
    waiting_.emplace_back();
  } else {
    free_waiting_ = waiting_[index].next;
  }
  waiting_[index] = message;
  return index;
}

/// How much later than the reading a train must start so that its tail is read before it leaves.
SimTime Injector::read_lag(std::uint32_t source, std::uint32_t bytes, EgressBank& egress) {
  const LineTime& reader = sources_[source].reader;
  if (reader.rate().value == 0) return SimTime{0};
  // A source that several lines share may be faster than this one: it reads ahead.
  return std::max(reader.of(bytes) - egress.line_time(port_, bytes), SimTime{0});
}

std::uint32_t Injector::choose_among_control(const Context& context, const EgressBank& egress) const {
  for (std::uint32_t ring = 0; ring < lanes_; ++ring) {
    if (turns_.is_empty(ring)) continue;
    const Message& message = turns_.first_message(ring);
    const std::uint8_t lane = message.head.lane;
    const std::uint32_t bytes = next_bytes(ring, context.now());
    if (ahead_ > SimTime{0} ? egress.can_interleave(context, port_, lane, bytes, context.now() + latency_,
                                                    mtu_bytes_, train_bytes_)
                            : egress.may_send(port_, lane, bytes, context.now() + latency_, context))
      return ring;
  }
  return none;
}

void Injector::slow_down(EndpointId from, EndpointId to, Connection connection, std::uint32_t marks,
                         SimTime now) {
  pacing_->slow_down(key_of(from, to, connection), marks, now);
}

/// Flows that pause miss their turn. False: all of the ring do; `earliest` as is_ready() has it.
bool Injector::turn_to_unpaused(std::uint32_t ring, SimTime at, SimTime& earliest) {
  for (std::uint32_t i = 0; i < turns_.count(ring); ++i) {
    const SimTime start = pacing_->next_start(turns_.first_message(ring).head.address.word(), at);
    if (start <= at) return true;
    earliest = std::min(earliest, start);
    turns_.pass(ring, turns_.first_message(ring).left);
  }
  return false;
}

/// Whether the next train of a ring that has flows may start at `at`; `earliest` becomes no later than when
/// it may, where it only waits for its reading.
[[gnu::always_inline]] inline bool Injector::is_ready(std::uint32_t ring, const Context& context,
                                                      EgressBank& egress, SimTime at, SimTime& earliest) {
  if (pacing_ && !turn_to_unpaused(ring, at, earliest)) return false;
  const Message& message = turns_.first_message(ring);
  const std::uint32_t longest = longest_train(ring, message, at);
  const auto bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(message.left, longest));
  // Both ends count the buffer with full trains (counted_buffer()): what a short one lacks stays free.
  const std::uint32_t lacking = train_bytes_ - longest;
  if (!egress.may_send(port_, message.head.lane, bytes + lacking, at + latency_, context)) return false;
  const SimTime ready = read_at(source_of(ring)) + read_lag(source_of(ring), bytes, egress);
  if (ready > at) earliest = std::min(earliest, ready);
  return ready <= at;
}

bool Injector::is_ready_too(std::uint32_t ring, const Context& context, EgressBank& egress, SimTime at,
                            SimTime& earliest) {
  return !turns_.is_empty(ring) && is_ready(ring, context, egress, at, earliest);
}

/// The ring whose turn it is to send at `at`, or none; `earliest`: when a train that only waits for its
/// reading may start.
std::uint32_t Injector::choose(const Context& context, EgressBank& egress, SimTime at, SimTime& earliest) {
  if (ahead_ == SimTime{0})
    if (const std::uint32_t ring = choose_control(context, egress); ring != none) return ring;
  if (weights_) return choose_by_weight(context, egress, at, earliest);
  const auto payload_rings = static_cast<std::uint32_t>(sources_.size()) * lanes_;
  std::uint32_t turn = next_ring_ < payload_rings ? next_ring_ : 0;
  if (!turns_.knows_busy()) [[unlikely]] {
    for (std::uint32_t i = 0; i < payload_rings; ++i, turn = turn + 1 == payload_rings ? 0 : turn + 1)
      if (is_ready_too(lanes_ + turn, context, egress, at, earliest)) return lanes_ + turn;
    return none;
  }
  const std::uint32_t all = turns_.busy() >> lanes_;
  std::uint32_t now = all & ~0u << turn, then = all & ~(~0u << turn);  // from that turn on, then the others
  while ((now != 0 ? now : now = std::exchange(then, 0)) != 0) {
    const std::uint32_t ring = lanes_ + static_cast<std::uint32_t>(std::countr_zero(now));
    if (is_ready(ring, context, egress, at, earliest)) return ring;
    now &= now - 1;
  }
  return none;
}

/// The same where lanes have weights: the source whose turn it is on the lane whose turn it is.
std::uint32_t Injector::choose_by_weight(const Context& context, EgressBank& egress, SimTime at,
                                         SimTime& earliest) {
  std::array<std::uint32_t, max_lanes> ring_of;
  ring_of.fill(none);
  const auto sources = static_cast<std::uint32_t>(sources_.size());
  for (std::uint32_t lane = 0; lane < lanes_; ++lane)
    for (std::uint32_t i = 0; i < sources && ring_of[lane] == none; ++i) {
      const std::uint32_t ring = lanes_ + (next_source_[lane] + i) % sources * lanes_ + lane;
      if (is_ready_too(ring, context, egress, at, earliest)) ring_of[lane] = ring;
    }
  const std::uint32_t lane = arbiter_.next(
      [&](std::uint32_t one) { return ring_of[one] == none ? 0 : next_bytes(ring_of[one], at); });
  if (lane == LaneArbiter::none) return none;
  next_source_[lane] = source_of(ring_of[lane]) + 1;  // what is chosen is sent
  return ring_of[lane];
}

void Injector::send_from(std::uint32_t ring, SimTime at, Context& context, EgressBank& egress,
                         SentListener& listener) {
  Message& message = turns_[turns_.first(ring)].message;
  const std::uint32_t longest = longest_train(ring, message, at);
  const auto bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(message.left, longest));
  if (lengths_.vary() && !is_control(ring)) {
    const std::uint8_t lane = message.head.lane;
    // Trains that have the line before this one will be gone.
    lengths_.sent(lane, bytes,
                  egress.credits(port_, lane, context) + bytes_in(at - context.now(), egress.rate(port_)));
  }
  Frame train = message.head;
  train.bytes = bytes;
  if (message.batch.is_counted())
    train.detail = message.batch.next(message.left, bytes, longest, train_bytes_, batches_);
  if (train.detail == 0 && Train::carries(train.kind)) train.detail = packets_in(bytes, mtu_bytes_);
  if (repair_) train = number(train, ring, at + latency_ + egress.line_time(port_, bytes), context);
  message.left -= bytes;
  active_bytes_ -= bytes;
  SimTime tail = is_control(ring) && ahead_ > SimTime{0}
                     ? egress.send_interleaved(context, port_, train, at + latency_, mtu_bytes_)
                     : *egress.offer(context, port_, train, at + latency_);
  bool is_done = message.left == 0;
  std::uint64_t token = message.token;
  if (!is_control(ring)) {
    SourceState& source = sources_[source_of(ring)];
    if (source.reader.rate().value != 0)
      read_at(source_of(ring)) = at - read_lag(source_of(ring), bytes, egress) + source.reader.of(bytes);
    if (pacing_) pacing_->sent(message.head.address.word(), at, bytes, egress.line_time(port_, bytes));
    if (is_done) --source.active;
    next_ring_ = ring - lanes_ + 1;
  }
  if (is_done)
    finish_message(ring, bytes, longest);
  else
    turns_.sent(ring, bytes, message.left, longest);
  if (is_done && !(repair_ && repair_->keep(train, token))) listener.on_sent(context, token, tail);
}

/// `train` as it goes on the wire, its tail at `tail`, where a class may lose it.
Frame Injector::number(const Frame& train, std::uint32_t ring, SimTime tail, Context& context) {
  const auto source = static_cast<std::uint16_t>(is_control(ring) ? 0 : source_of(ring));
  const Frame numbered = repair_->leaving(train, source, tail);
  if (!NumberedTrain::carries(numbered.kind)) return numbered;
  if (const auto at = repair_->start_timer(numbered.address))
    context.wake(std::max(*at, context.now()), to_payload(RepairTimer{.address = numbered.address}));
  return numbered;
}

/// Frees the message at the head of the ring, of which `bytes` were sent last, of `longest` at most; its flow
/// has another turn, or goes away when it has no further message.
void Injector::finish_message(std::uint32_t ring, std::uint32_t bytes, std::uint32_t longest) {
  FlowTurns::Flow& flow = turns_[turns_.first(ring)];
  --active_messages_;
  if (flow.first == none) {
    if (!is_control(ring)) index_.erase(flow.message.head.address.word());
    return turns_.remove_first(ring);
  }
  const std::uint32_t next = flow.first;
  flow.message = waiting_[next];
  flow.first = std::exchange(flow.message.next, none);
  if (flow.first == none) flow.last = none;
  waiting_[next].next = free_waiting_;
  free_waiting_ = next;
  turns_.sent(ring, bytes, flow.message.left, longest);
}

void Injector::pump(Context& context, EgressBank& egress, SentListener& listener) {
  if (active_messages_ == 0) return;
  const SimTime now = context.now();
  const bool is_always_usable = egress.is_always_usable(port_);
  const SimTime ahead = std::min(ahead_, egress.ahead(port_) - latency_);
  if (!is_always_usable && !egress.is_usable(port_, now)) return;
  while (active_messages_ > 0) {
    if (ahead_ > SimTime{0})
      if (const std::uint32_t ring = choose_control(context, egress); ring != none) {
        send_from(ring, now, context, egress, listener);
        continue;
      }
    SimTime line_free = egress.free_at(port_) - latency_;
    if (line_free > now + ahead) return wake_at(line_free, context);
    const SimTime at = std::max(line_free, now);
    if (!is_always_usable && !egress.is_usable(port_, at + latency_)) return wake_at(at + latency_, context);
    SimTime earliest = time_never;
    std::uint32_t ring = choose(context, egress, at, earliest);
    if (ring == none) {
      if (earliest != time_never) wake_at(earliest, context);
      return;
    }
    send_from(ring, at, context, egress, listener);
  }
}

void Injector::share_pace(Injector& first) {
  own_pacing_ = nullptr;
  pacing_ = first.pacing_;
}

std::vector<Injector::Rest> Injector::take_all() {
  std::vector<Rest> all;
  for (std::uint32_t ring = 0; ring < lanes_ * (1 + sources_.size()); ++ring)
    while (!turns_.is_empty(ring)) {
      const Message& message = turns_.first_message(ring);
      LIGHTRAIL_EXPECT(!message.batch.is_counted());  // its receiver would wait for the rest
      const std::uint32_t source = is_control(ring) ? 0 : source_of(ring);
      all.push_back({message.head, message.left, message.token, static_cast<std::uint16_t>(source)});
      active_bytes_ -= message.left;
      if (!is_control(ring)) --sources_[source_of(ring)].active;
      finish_message(ring, 0, train_bytes_);
    }
  return all;
}

void Injector::on_wake(Context& context, EgressBank& egress, SentListener& listener) {
  if (wake_time_ == context.now()) wake_time_ = time_never;
  pump(context, egress, listener);
}

void Injector::wake_at(SimTime at, Context& context) {
  if (wake_time_ <= at) return;
  wake_time_ = at;
  context.wake(at, to_payload(InjectorWake{.tag = wake_tag_}));
}

void Injector::save(StateWriter& out) const {
  for (const SourceState& source : sources_) out.put(source.free_at), out.put(source.active);
  turns_.save(out);
  out.put(arbiter_.state()), out.put(next_source_);
  lengths_.save(out);
  out.put(waiting_);
  index_.save(out);
  out.put(free_waiting_), out.put(next_ring_);
  out.put(active_messages_), out.put(active_bytes_), out.put(wake_time_), out.put(batches_);
  if (own_pacing_) own_pacing_->save(out);
}

void Injector::load(StateReader& in) {
  for (SourceState& source : sources_) in.get(source.free_at), in.get(source.active);
  turns_.load(in);
  LaneArbiter::State turns;
  in.get(turns);
  arbiter_.set(turns);
  in.get(next_source_);
  lengths_.load(in);
  in.get(waiting_);
  index_.load(in);
  in.get(free_waiting_), in.get(next_ring_);
  in.get(active_messages_), in.get(active_bytes_), in.get(wake_time_), in.get(batches_);
  if (own_pacing_) own_pacing_->load(in);
}

}  // namespace lightrail

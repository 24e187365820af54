#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/paired_array.hpp"
#include "engine/base/prefetch.hpp"
#include "engine/model/buffer_waits.hpp"
#include "engine/model/component.hpp"
#include "engine/model/hot_lines.hpp"
#include "network/health/health_table.hpp"
#include "network/port/backlog.hpp"
#include "network/port/credit/credit.hpp"
#include "network/port/egress_port.hpp"
#include "network/port/flow_control.hpp"
#include "network/port/lane_turns.hpp"
#include "network/port/line_errors.hpp"
#include "network/port/line_record.hpp"
#include "network/port/line_turns.hpp"
#include "network/port/link_meter.hpp"
#include "network/port/port_end.hpp"
#include "network/port/send_queue.hpp"
#include "network/port/traffic_meters.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// The sending side of all ports of one component: a line that serialises, virtual lanes that the far end's
/// flow control opens and shuts, and a FIFO per lane of trains that wait for it.
///
/// Model: a train whose lane is open and has nobody waiting reserves the line at once, in the order of
/// asking:
///   start = max(ready, free), free = start + bytes / rate.
/// So most trains cost no event here; only a train that flow control stops waits, and the message that frees
/// it sends it. A line is FIFO over all its lanes, unless these have weights (LaneWeights): then a switch
/// gives a line that is taken to nobody ahead of time; trains wait in their lanes, and the line's turns
/// (LaneArbiter) say which is next when it is free, at the cost of an event for each. So it does where flow
/// control stops lanes (SendTerms::ahead), but as long before as a stop takes to work; trains of lanes that
/// stop before they could begin wait. A reservation is never
/// taken back; a line that errs (LineErrors) delays its trains in their order; a train that an outage of its
/// link (HealthTable) meets is cut off: it is not sent, and waits for take_cut_off(). Leaves out packet
/// headers (the rate of a link class is its payload rate).
///
/// Contract: every port's far end has the other side of its flow control (InputBank), or no buffer.
class EgressBank final : public FrameLine {
 public:
  /// What speaks against a port, in rising order.
  enum class Trouble : std::uint8_t { none, dark, down };

  explicit EgressBank(const BuildContext& build) : EgressBank(build, port_ends(build)) {}
  /// `ends`: of the component's ports, by index.
  EgressBank(const BuildContext& build, std::span<const PortEnd> ends);

  [[nodiscard]] bool is_connected(PortIndex port) const { return ports_[port].is_connected; }
  /// Whether the port has a link that is up now: whom to ask before a train is given to it.
  [[nodiscard]] bool is_usable(PortIndex port, SimTime now) const {
    const Port& p = ports_[port];
    return p.is_clear || (p.is_connected && (!p.fails || is_up(port, now)));
  }
  /// Whether is_usable() holds at any time: nothing has to be asked again for each train.
  [[nodiscard]] bool is_always_usable(PortIndex port) const { return ports_[port].is_clear; }
  /// Why another port is the better choice now.
  [[nodiscard]] Trouble trouble(PortIndex port, SimTime now) const {
    if (!is_usable(port, now)) return Trouble::down;
    return is_dark(port, now) ? Trouble::dark : Trouble::none;
  }
  /// Whether nothing does, of a port that has a link.
  [[nodiscard]] bool is_clear(PortIndex port, SimTime now) const {
    const Port& p = ports_[port];
    return p.is_clear || (p.is_connected && trouble(port, now) == Trouble::none);
  }
  /// Whether routing tables have been made anew since the port's link went down, and not yet since it came
  /// back.
  [[nodiscard]] bool is_routed_around(PortIndex port, SimTime now) const {
    return ports_[port].fails && is_down_for_routing(port, now);
  }
  /// When is_usable() changes next; time_never: it stays.
  [[nodiscard]] SimTime next_change(PortIndex port, SimTime now) const;
  [[nodiscard]] SimTime free_at(PortIndex port) const { return ports_[port].free_at; }
  [[nodiscard]] BitRate rate(PortIndex port) const { return ports_[port].line.rate(); }
  [[nodiscard]] SimTime line_time(PortIndex port, std::uint32_t bytes) const {
    return ports_[port].line.of(bytes);
  }
  /// What adaptive routing compares: the line's reservations, the trains that wait for it and what its
  /// credits say is in the far buffer for certain (far_load()), as time on the line. `byte`: of the ports
  /// that are compared.
  [[nodiscard, gnu::always_inline]] Backlog backlog(PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                                                    const Context& context, ByteTime& byte) const {
    const Port& p = ports_[port];
    const SendLane& l = lane_of(p, context, port, lane);
    const SimTime line = std::max(p.free_at - context.now(), SimTime{0});
    const std::int64_t queued = p.waiting_bytes + far_load(p.capacity, l.allowed);
    const bool may_go =
        p.is_stoppable ? !is_stopped(port, lane) : l.first_waiting == SendQueue::none && l.allowed >= bytes;
    return {!may_go, queued == 0 ? line : line + byte.on(p.line) * queued};
  }
  /// True when `bytes` on `lane` that are ready at `ready` would not have to wait for the far end.
  [[nodiscard]] bool may_send(PortIndex port, std::uint8_t lane, std::uint32_t bytes, SimTime ready,
                              const Context& context) const {
    const Port& p = ports_[port];
    const SendLane& l = lane_of(p, context, port, lane);
    return l.first_waiting == SendQueue::none && l.allowed >= bytes &&
           (!p.is_stoppable || is_its_turn(port, lane, ready, context.now()));
  }
  /// What flow control lets go on `lane` now [B]; `unlimited`: all.
  [[nodiscard]] std::uint32_t credits(PortIndex port, std::uint8_t lane, const Context& context) const {
    return lane_of(ports_[port], context, port, lane).allowed;
  }
  /// How long before it begins a train may have the line at most (SendTerms::ahead).
  [[nodiscard]] SimTime ahead(PortIndex port) const {
    return ports_[port].is_stoppable ? turns_[port].ahead : time_never;
  }
  /// What a train of `bytes` on `lane` finds at a port now.
  struct Queue {
    std::int64_t bytes = 0;  ///< that have the line or wait; where lanes take turns, waiting ones of its own
    bool has_credits = false;  ///< the port could send it now if the line were free, and what waits before it
  };
  [[nodiscard]] Queue queue(PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                            const Context& context) const;
  /// Sends `train` over a link that is down, as if it were up. False: it would have to wait. For what the
  /// device held when it failed itself (Detours::heir()).
  [[nodiscard]] bool send_past_failure(Context& context, PortIndex port, const Frame& train);
  /// Whether trains wait at the port.
  [[nodiscard]] bool has_waiting(PortIndex port) const { return ports_[port].waiting_bytes != 0; }
  /// What a train that must wait waits for ("credits").
  [[nodiscard]] std::string_view awaited(PortIndex port) const { return control_of_[port]->awaited(); }

  /// Sends `train` on `port`, not before `ready`. Returns when its tail leaves (now: it does not), or nothing
  /// if it must wait for the far end or its turn; `from` (the port it came in on) on_flow_control hands back.
  [[gnu::always_inline]] std::optional<SimTime> offer(Context& context, PortIndex port, const Frame& train,
                                                      SimTime ready, PortIndex from = self_port) {
    return offer(context, port, train, ready, from, train.lane);
  }
  /// The same for a train that came in on another lane, `from_lane`, than the one it leaves on.
  [[gnu::always_inline]] std::optional<SimTime> offer(Context& context, PortIndex port, const Frame& train,
                                                      SimTime ready, PortIndex from, std::uint8_t from_lane) {
    Port& p = ports_[port];
    SendLane& lane = lane_of(p, context, port, train.lane);
    if (lane.first_waiting == SendQueue::none && lane.allowed >= train.bytes &&
        (p.is_plain || is_its_turn(port, train.lane, ready, context.now())))
      return put(context, port, p, lane, train, ready);
    return wait(context, port, lane, train, ready, from, from_lane);
  }

  /// True when send_interleaved() may send a small message of `bytes` that is ready at `ready`: its lane is
  /// open, or a train of `train_bytes` at most that has the line already has not begun and lends what is
  /// missing.
  [[nodiscard]] bool can_interleave(const Context& context, PortIndex port, std::uint8_t lane,
                                    std::uint32_t bytes, SimTime ready, std::uint32_t mtu_bytes,
                                    std::uint32_t train_bytes) const;
  /// Sends a small message between the packets of trains that have the line already: it waits for the packet
  /// of `mtu_bytes` that is on it. Where the line errs, behind them. Returns as offer.
  SimTime send_interleaved(Context& context, PortIndex port, const Frame& message, SimTime ready,
                           std::uint32_t mtu_bytes);

  /// Whether a train has the line at once, whatever came before, and nobody at the far end tells of it.
  [[nodiscard]] bool is_open(PortIndex port) const { return is_open(ports_[port]); }
  /// As offer(), of a port that is open: the far end is told `told` instead, or nothing.
  [[gnu::always_inline]] SimTime pass(Context& context, PortIndex port, const Frame& train, SimTime ready,
                                      const Payload* told) {
    Port& p = ports_[port];
    LIGHTRAIL_EXPECT(is_open(p));
    const SimTime start = std::max(std::max(ready, context.now()), p.free_at);
    const SimTime busy = p.line.of(train.bytes);
    take_line(context, port, p, train, ready, start, busy);
    if (told) context.send(port, start, *told);
    return start + busy;
  }

  void send_frame(Context& context, PortIndex port, std::uint32_t bytes, const Payload& message) override;
  /// Sends `frame`, small and ready at `ready`, ahead of all payload and whatever its lane: it waits for the
  /// packet that is on the line. Only where flow control stops lanes.
  void send_first(Context& context, PortIndex port, const Frame& frame, SimTime ready);

  /// Takes a message of the far end's flow control that came in on `port` and sends what it frees:
  /// left(train, from, tail) for each, the train on the lane that it came in on.
  template <class Left>
  void on_flow_control(Context& context, PortIndex port, const Payload& message, Left&& left) {
    Port& p = ports_[port];
    const LaneMask opened = p.adds_credits
                                ? add(as<Credit>(message), port, p)
                                : control_of_[port]->on_message(context, port, message, lanes_of(port));
    if (p.waiting_bytes != 0) send_waiting(context, port, p, opened, left);
  }
  /// The same when a timer of the flow control has ended (FlowTimer::Side::sender).
  template <class Left>
  void on_flow_timer(Context& context, const FlowTimer& timer, Left&& left) {
    const LaneMask opened = control_of_[timer.port]->on_timer(context, timer, lanes_of(timer.port));
    if (ports_[timer.port].hears_waiting)
      for (std::uint32_t lane = 0; lane < ports_[timer.port].lanes; ++lane)
        while (const auto gone = take_discarded(context, timer.port, lane)) {
          Frame freed = gone->train;
          freed.lane = gone->from_lane;
          left(freed, gone->from, context.now());
        }
    send_waiting(context, timer.port, ports_[timer.port], opened, left);
  }

  /// The line of a port whose lanes take turns is free (FlowTimer::Side::line).
  template <class Left>
  void on_line_free(Context& context, PortIndex port, Left&& left) {
    if (turns_[port].wake != context.now()) return;  // an earlier time has been asked for since
    turns_[port].wake = time_never;
    take_turns(context, port, left);
  }

  /// The port's light was found to be missing, by a train that came back: until then, whoever can choose
  /// another port does.
  void mark_dark(PortIndex port, SimTime until);
  [[nodiscard]] bool is_dark(PortIndex port, SimTime now) const {
    return ports_[port].was_dark && now < dark_until_[port];
  }

  /// A train that was cut off, and the port it was given to.
  struct CutOff {
    Frame train{};
    PortIndex port = 0;
  };
  [[nodiscard]] bool has_cut_off() const { return cut_off_ != nullptr; }
  /// Those since the last call; whoever asks has them to send again.
  [[nodiscard]] std::vector<CutOff> take_cut_off() {
    const std::unique_ptr<std::vector<CutOff>> all = std::move(cut_off_);
    return all ? std::move(*all) : std::vector<CutOff>{};
  }
  /// The timer of a link that has gone down or come up (MessageKind::link_change). Trains that wait for the
  /// far end of one that is down are cut off: left(train, from) for each.
  template <class Left>
  void on_link_change(Context& context, PortIndex port, Left&& left) {
    Port& p = ports_[port];
    p.is_watched = false;
    if (is_up(port, context.now())) return watch(context, port);
    const SendLanes lanes = lanes_of(port);
    for (std::uint32_t k = 0; k < lanes.count(); ++k) {
      SendLane& lane = lanes[k];
      while (lane.first_waiting != SendQueue::none) {
        const Waiting w = take_first(port, p, lane);
        cut_off(w.train, port);
        Frame freed = w.train;
        freed.lane = w.from_lane;
        left(freed, w.from);
      }
    }
  }

  /// Whether the line is free at `now` and nothing waits for it.
  [[nodiscard]] bool is_at_rest(PortIndex port, SimTime now) const {
    return ports_[port].free_at <= now && ports_[port].waiting_bytes == 0;
  }
  /// From now on what the port carries is recorded, its times from `begin` on, until take_record().
  void start_record(PortIndex port, SimTime begin);
  [[nodiscard]] LineRecord take_record(PortIndex port);
  /// Counts what `record` has as if the port, which is at rest, had carried it from `begin` on.
  void carry(Context& context, PortIndex port, const LineRecord& record, SimTime begin);
  /// Sets what lane 0 of a port under credits may send when all its bytes have left the far buffer but
  /// `unreported`, for which the far end owes credits [B].
  void set_owed(PortIndex port, std::uint32_t unreported);

  /// Rows of link_use, link_traffic and queue. Call from Component::finish.
  void finish(Context& context);
  /// What the links carried, control messages included, times their energy per bit [pJ].
  [[nodiscard]] double link_energy_pj() const;
  /// Serialisation time of what the port carried that was busy longest.
  [[nodiscard]] SimTime longest_busy() const;
  /// "port 3 lane 0: 5 trains (327680 B) wait for credits", one an item.
  [[nodiscard]] std::vector<std::string> waits_for() const;
  /// Which input buffers hold what waits at which outputs.
  [[nodiscard]] std::vector<BufferWait> buffer_waits() const;
  void save(StateWriter& out) const;
  void load(StateReader& in);

  [[nodiscard]] std::size_t port_count() const { return ports_.size(); }
  /// What a message of flow control may set free on `lane`. Reads the port.
  void prefetch_waiting(PortIndex port, std::uint8_t lane) const {
    if (lane >= near_lanes) return;
    const std::uint32_t first = ports_[port].near[lane].first_waiting;
    if (first != SendQueue::none) prefetch_line(&pool_[first]);
  }
  /// What leads to its ports.
  void tell_hot(HotLines& lines) const { lines.add(ports_.header().data(), ports_.header().size()); }
  /// What a train needs that leaves on `port`.
  void prefetch(PortIndex port) const {
    prefetch_line(&ports_[port]);
    if (ports_.has_partners()) prefetch_line(&ports_.partner(port));
  }
  /// What a message of flow control needs, and trains that wait.
  void prefetch_queue() const { prefetch_line(&pool_); }
  void prefetch_all() const {
    for (const Port& port : ports_) prefetch_line(&port);
    if (ports_.has_partners() && ports_.size() <= few_counts)
      for (std::size_t i = 0; i < ports_.size(); ++i) prefetch_line(&ports_.partner(i));
  }

 private:
  static constexpr std::size_t few_counts = 8;  // all may be fetched ahead
  using Port = EgressPort;
  using LaneCount = EgressLaneCount;
  using PortCount = EgressPortCount;
  /// Null: the port is not recorded now.
  [[nodiscard]] LineRecording* recording_of(PortIndex port);
  /// Which of its counts the port keeps.
  void set_counted(PortIndex port, bool is_recorded);

  [[nodiscard]] const SendLane& waiting_lane(std::size_t port, std::uint32_t lane) const;
  [[nodiscard]] static bool is_open(const Port& p) { return p.is_plain && p.is_clear && !p.subtracts; }
  [[nodiscard]] static bool is_clear_for_good(const Port& p) {
    return p.is_connected && !p.fails && !p.was_dark;
  }
  SendLane& lane_of(Port& p, const Context& context, PortIndex port, std::uint8_t lane) {
    return lane < p.lanes_here ? p.near[lane] : other_lane(context, port, lane);
  }
  [[nodiscard]] const SendLane& lane_of(const Port& p, const Context& context, PortIndex port,
                                        std::uint8_t lane) const {
    return const_cast<EgressBank*>(this)->lane_of(const_cast<Port&>(p), context, port, lane);
  }
  /// Of a port that has one for all, or far ones. Throws SimulationError where it has it not.
  SendLane& other_lane(const Context& context, PortIndex port, std::uint8_t lane);
  SendLane& far_lane(PortIndex port, std::uint32_t lane) {
    return far_lanes_[std::size_t{port} * (max_lanes - near_lanes) + lane - near_lanes];
  }
  SendLanes lanes_of(PortIndex port) {
    Port& p = ports_[port];
    SendLane* far = p.lanes > near_lanes ? &far_lane(port, near_lanes) : nullptr;
    return {p.near, far, std::max<std::uint32_t>(p.lanes, 1), p.capacity};
  }
  void cut_off(const Frame& train, PortIndex port) {
    if (!cut_off_) cut_off_ = std::make_unique<std::vector<CutOff>>();
    cut_off_->push_back({train, port});
  }
  [[noreturn]] void refuse_lane(const Context& context, PortIndex port, std::uint8_t lane) const;
  /// Which ports add credits without their flow control.
  void ask_for_credits();
  /// What has come in on `port`; returns the lane.
  LaneMask add(const Credit& credit, PortIndex port, Port& p) {
    SendLane& lane = credit.lane < p.lanes_here ? p.near[credit.lane] : lanes_of(port)[credit.lane];
    LIGHTRAIL_EXPECT(credit.bytes <= p.capacity - lane.allowed);  // bytes are conserved
    lane.allowed += credit.bytes;
    return static_cast<LaneMask>(1u << credit.lane);
  }
  LaneCount& count_of(PortIndex port, std::uint8_t lane) {
    if (lane == 0 || ports_[port].lanes == 0) return ports_.partner(port).lane;
    return far_counts_[std::size_t{port} * (max_lanes - 1) + lane - 1];
  }
  LineErrors& errors_of(PortIndex port) { return errors_[errors_by_port_[port]]; }
  [[nodiscard]] bool is_up(PortIndex port, SimTime now) const;
  [[nodiscard]] bool is_down_for_routing(PortIndex port, SimTime now) const;
  [[nodiscard]] SimTime cut_at(PortIndex port, SimTime start, SimTime busy) const;
  void watch(Context& context, PortIndex port);
  std::optional<SimTime> wait(Context& context, PortIndex port, SendLane& lane, const Frame& train,
                              SimTime ready, PortIndex from, std::uint8_t from_lane);
  [[nodiscard]] bool may_wait(Context& context, PortIndex port, const Frame& train) {
    return control_of_[port]->on_waiting(context, port, train, lanes_of(port));
  }
  /// The first that waits on `lane`, if its flow control throws it away; it waits no longer.
  [[nodiscard]] std::optional<Waiting> take_discarded(Context& context, PortIndex port, std::uint32_t lane);
  /// The train that has waited longest on `lane`.
  [[gnu::always_inline]] Waiting take_first(PortIndex port, Port& p, SendLane& lane) {
    const Waiting first = pool_.pop(lane.first_waiting, lane.last_waiting);
    p.waiting_bytes -= first.train.bytes;
    if (p.takes_turns) turns_[port].waiting[first.train.lane] -= first.train.bytes;
    return first;
  }
  /// The train that has waited longest on `lane`, which may leave.
  template <class Left>
  [[gnu::always_inline]] void send_first(Context& context, PortIndex port, Port& p, SendLane& lane,
                                         Left& left) {
    Waiting w = take_first(port, p, lane);
    const SimTime tail = put(context, port, p, lane, w.train, w.ready);
    w.train.lane = w.from_lane;
    left(w.train, w.from, tail);
  }
  /// On lanes that have been opened.
  template <class Left>
  void send_waiting(Context& context, PortIndex port, Port& p, LaneMask opened, Left& left) {
    if (p.takes_turns) return take_turns(context, port, left);
    for (; opened != 0; opened &= static_cast<LaneMask>(opened - 1)) {
      SendLane& lane = lane_of(p, context, port, static_cast<std::uint8_t>(std::countr_zero(opened)));
      while (lane.first_waiting != SendQueue::none && lane.allowed >= pool_[lane.first_waiting].train.bytes)
        send_first(context, port, p, lane, left);
    }
  }
  /// Whether a train that is ready at `ready` may have the line now.
  [[nodiscard]] bool is_its_turn(PortIndex port, std::uint8_t lane, SimTime ready, SimTime now) const {
    if (!ports_[port].takes_turns) return true;
    return const_cast<EgressBank*>(this)->lane_turns(port).may_have_line(lane, ready, now);
  }
  /// Of a port whose lanes take turns.
  [[nodiscard]] LaneTurns lane_turns(PortIndex port) {
    return {turns_[port], ports_[port], port, *control_of_[port], lanes_of(port), pool_};
  }
  [[nodiscard]] bool is_stopped(PortIndex port, std::uint8_t lane) const {
    return control_of_[port]->stops_at(port, lane) != time_never;
  }
  /// The next train of the line, while it is free.
  template <class Left>
  void take_turns(Context& context, PortIndex port, Left& left) {
    LaneTurns turns = lane_turns(port);
    Port& p = ports_[port];
    for (std::uint32_t lane = turns.next(context.now()); lane != LaneArbiter::none;
         lane = turns.next(context.now()))
      send_first(context, port, p, lane_of(p, context, port, static_cast<std::uint8_t>(lane)), left);
    turns.wake_when_free(context);
  }
  /// Of a port that is counted: reads and writes nothing but its PortCount, mostly.
  [[gnu::always_inline]] void count(Context& context, PortIndex port, Port& p, const Frame& train,
                                    SimTime ready, SimTime start, SimTime busy) {
    if (!p.is_metered || train.lane != 0) return count_all(context, port, train, ready, start, busy);
    PortCount& count = ports_.partner_of(p);
    count.lane.add(context.now(), ready, start, start + busy);
    count.meter.add(context, meter_settings_, start, busy, is_payload(train.kind) ? train.bytes : 0);
  }
  /// The same for any lane, by traffic, and into a record.
  void count_all(Context& context, PortIndex port, const Frame& train, SimTime ready, SimTime start,
                 SimTime busy);
  /// A plain port's line has `train` from `start` on, for `busy`.
  [[gnu::always_inline]] void take_line(Context& context, PortIndex port, Port& p, const Frame& train,
                                        SimTime ready, SimTime start, SimTime busy) {
    p.free_at = start + busy;
    p.carried_bytes += train.bytes;
    if (p.is_counted) count(context, port, p, train, ready, start, busy);
  }
  [[gnu::always_inline]] SimTime put(Context& context, PortIndex port, Port& p, SendLane& lane,
                                     const Frame& train, SimTime ready) {
    const SimTime start = std::max(std::max(ready, context.now()), p.free_at);
    const SimTime busy = p.line.of(train.bytes);
    if (!p.is_plain) return put_on_line(context, port, lane, train, ready, start, busy);
    if (p.subtracts) lane.allowed -= train.bytes;
    take_line(context, port, p, train, ready, start, busy);
    context.send(port, start, to_payload(train));
    return start + busy;
  }
  /// The rest of put() for any port.
  SimTime put_on_line(Context& context, PortIndex port, SendLane& lane, const Frame& train, SimTime ready,
                      SimTime start, SimTime busy);
  /// The line has `train` from `start` on, for `busy`.
  SimTime leave(Context& context, PortIndex port, SendLane& lane, const Frame& train, SimTime ready,
                SimTime start, SimTime busy);

  MeterSettings meter_settings_;
  std::vector<SendLane> far_lanes_;  ///< by port, lanes from the third on; empty where no port has them
  std::vector<std::unique_ptr<SendControl>> controls_;
  std::vector<LineTurns> turns_;               ///< by port; empty where lanes have no weights
  std::vector<LineErrors> errors_;             ///< of the lines that err at all
  std::vector<std::uint16_t> errors_by_port_;  ///< indices into errors_; empty where no line errs
  const Model* model_;
  const HealthTable* health_ = nullptr;     ///< null: no link of the run ever fails
  std::vector<LinkId> links_;               ///< by port; empty where health_ is null
  std::vector<SimTime> dark_until_;         ///< by port; empty where none was ever marked
  std::vector<double> energy_pj_per_byte_;  ///< by port
  TrafficMeters traffic_meters_;
  bool counts_queues_ = false;             ///< queue is recorded
  std::vector<LineRecording> recordings_;  ///< of ports that are recorded now, few
  std::vector<LaneCount> far_counts_;      ///< by port, lanes from 1 on; empty where there are none

  // What trains that wait need, the ports that lie here, and half a line that leads to others, with what
  // every event looks at; whoever has a bank as [[no_unique_address]] has the other half.
  alignas(64) SendQueue pool_;
  std::unique_ptr<SendControl*[]> control_of_;  ///< by port
  /// With their counts where link_use or queue is recorded.
  [[no_unique_address]] PairedArray<Port, PortCount, 3> ports_;
  std::unique_ptr<std::vector<CutOff>> cut_off_;  ///< null: none
};

}  // namespace lightrail

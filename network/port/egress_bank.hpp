#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/small_array.hpp"
#include "engine/model/component.hpp"
#include "network/health/health_table.hpp"
#include "network/port/credit/credit_queue.hpp"
#include "network/port/line_errors.hpp"
#include "network/port/line_time.hpp"
#include "network/port/link_meter.hpp"
#include "network/port/port_end.hpp"
#include "network/wire/credit.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// The sending side of all ports of one component: a line that serialises, credits per virtual lane and a
/// FIFO per lane of trains that wait for credits.
///
/// Model: a train whose lane has credits and nobody waiting reserves the line at once, in the order of
/// asking:
///   start = max(ready, free), free = start + bytes / rate.
/// So most trains cost no event here; only a train without credits waits, and the credit that frees it sends
/// it. Assumes FIFO over all lanes of a line (no priorities); a reservation is never taken back; a line
/// that errs (LineErrors) delays its trains in their order; a train that an outage of its link (HealthTable)
/// meets is cut off: it is not sent, and waits for take_cut_off(). Leaves out packet headers (the rate of a
/// link class is its payload rate).
///
/// Contract: every port's far end returns the credits of what it took (CreditReturn), or has no buffer to
/// return.
class EgressBank {
 public:
  /// What speaks against a port, in rising order.
  enum class Trouble : std::uint8_t { none, dark, down };

  explicit EgressBank(const BuildContext& build);

  bool is_connected(PortIndex port) const { return ports_[port].is_connected; }
  /// Whether the port has a link that is up now: whom to ask before a train is given to it.
  [[nodiscard]] bool is_usable(PortIndex port, SimTime now) const {
    return ports_[port].is_connected && (!ports_[port].fails || is_up(port, now));
  }
  /// Why another port is the better choice now.
  [[nodiscard]] Trouble trouble(PortIndex port, SimTime now) const {
    if (!is_usable(port, now)) return Trouble::down;
    return is_dark(port, now) ? Trouble::dark : Trouble::none;
  }
  /// Whether routing tables have been made anew since the port's link went down, and not yet since it came
  /// back.
  [[nodiscard]] bool is_routed_around(PortIndex port, SimTime now) const;
  /// When is_usable() changes next; time_never: it stays.
  [[nodiscard]] SimTime next_change(PortIndex port, SimTime now) const;
  SimTime free_at(PortIndex port) const { return ports_[port].free_at; }
  BitRate rate(PortIndex port) const { return ports_[port].line.rate(); }
  SimTime line_time(PortIndex port, std::uint32_t bytes) const { return ports_[port].line.of(bytes); }
  /// How long the line would be busy if all that waits could go; what adaptive routing compares.
  SimTime load(PortIndex port, SimTime now) const {
    const Port& p = ports_[port];
    SimTime line = std::max(p.free_at - now, SimTime{0});
    return p.waiting_bytes == 0 ? line : line + p.line.of(1) * p.waiting_bytes;
  }
  /// True when `bytes` on `lane` would not have to wait for credits.
  bool has_credit(PortIndex port, std::uint8_t lane, std::uint32_t bytes, const Context& context) const {
    const Lane& l = lane_of(ports_[port], context, port, lane);
    return l.first_waiting == CreditQueue::none && l.credits >= bytes;
  }

  /// Sends `train` on `port`, not before `ready` (>= now). Returns when its tail leaves, or nothing if it
  /// must wait for credits; `from` (the port it came in on) is then handed back by on_credit.
  std::optional<SimTime> offer(Context& context, PortIndex port, const Frame& train, SimTime ready,
                               PortIndex from = self_port) {
    return offer(context, port, train, ready, from, train.lane);
  }
  /// The same for a train that came in on another lane, `from_lane`, than the one it leaves on.
  std::optional<SimTime> offer(Context& context, PortIndex port, const Frame& train, SimTime ready,
                               PortIndex from, std::uint8_t from_lane) {
    Port& p = ports_[port];
    LIGHTRAIL_EXPECT(p.is_connected);
    Lane& lane = lane_of(p, context, port, train.lane);
    if (lane.first_waiting == CreditQueue::none && lane.credits >= train.bytes)
      return put(context, port, lane, train, ready);
    wait(context, port, lane, train, ready, from, from_lane);
    return std::nullopt;
  }

  /// True when send_interleaved() may send a small message of `bytes` that is ready at `ready`: there are
  /// credits, or a train of `train_bytes` at most that has the line already has not begun and holds what is
  /// missing.
  bool can_interleave(const Context& context, PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                      SimTime ready, std::uint32_t mtu_bytes, std::uint32_t train_bytes) const;
  /// Sends a small message between the packets of trains that have the line already: it waits for the packet
  /// of `mtu_bytes` that is on it. Where the line errs, behind them. Returns as offer.
  SimTime send_interleaved(Context& context, PortIndex port, const Frame& message, SimTime ready,
                           std::uint32_t mtu_bytes);

  /// Takes a credit that came in on `port` and sends what it frees: left(train, from, tail) for
  /// each, the train on the lane that it came in on.
  template <class Left>
  void on_credit(Context& context, PortIndex port, const Credit& credit, Left&& left) {
    Lane& lane = take_credit(context, port, credit);
    Port& p = ports_[port];
    while (lane.first_waiting != CreditQueue::none && lane.credits >= pool_[lane.first_waiting].train.bytes) {
      Waiting w = pool_.pop(lane.first_waiting, lane.last_waiting);
      p.waiting_bytes -= w.train.bytes;
      SimTime tail = put(context, port, lane, w.train, w.ready);
      w.train.lane = w.from_lane;
      left(w.train, w.from, tail);
    }
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
  [[nodiscard]] bool has_cut_off() const { return !cut_off_.empty(); }
  /// Those since the last call; whoever asks has them to send again.
  [[nodiscard]] std::vector<CutOff> take_cut_off() { return std::exchange(cut_off_, {}); }
  /// The timer of a link that has gone down or come up (MessageKind::link_change). Trains that wait for
  /// credits of one that is down are cut off: left(train, from) for each.
  template <class Left>
  void on_link_change(Context& context, PortIndex port, Left&& left) {
    Port& p = ports_[port];
    p.is_watched = false;
    if (is_up(port, context.now())) return watch(context, port);
    for (std::uint32_t k = 0; k < std::max<std::uint32_t>(p.lanes, 1); ++k) {
      Lane& lane = k < near_lanes ? p.near[k] : far_lane(port, k);
      while (lane.first_waiting != CreditQueue::none) {
        const Waiting w = pool_.pop(lane.first_waiting, lane.last_waiting);
        p.waiting_bytes -= w.train.bytes;
        cut_off_.push_back({w.train, port});
        Frame freed = w.train;
        freed.lane = w.from_lane;
        left(freed, w.from);
      }
    }
  }

  /// Rows of link_use and queue. Call from Component::finish.
  void finish(Context& context);
  /// What the links carried, control messages included, times their energy per bit [pJ].
  double link_energy_pj() const;
  /// Serialisation time of what the port carried that was busy longest.
  SimTime longest_busy() const;
  /// "port 3 lane 0: 5 trains (327680 B) wait for credits", one an item.
  std::vector<std::string> waits_for() const;
  void save(StateWriter& out) const;
  void load(StateReader& in);

  std::size_t port_count() const { return ports_.size(); }
  /// What a credit of `lane` may set free. Reads the port.
  void prefetch_waiting(PortIndex port, std::uint8_t lane) const {
    if (lane >= near_lanes) return;
    const std::uint32_t first = ports_[port].near[lane].first_waiting;
    if (first != CreditQueue::none) __builtin_prefetch(&pool_[first], 1);
  }
  void prefetch_all() const {
    for (const Port& port : ports_) __builtin_prefetch(&port, 1);
    if (meters_.size() <= few_meters)
      for (const LinkMeter& meter : meters_) __builtin_prefetch(&meter, 1);
  }

 private:
  static constexpr std::size_t few_meters = 8;  // all may be fetched ahead
  struct Lane {
    std::uint32_t credits = 0;  ///< left [B]
    std::uint32_t first_waiting = CreditQueue::none, last_waiting = CreditQueue::none;
  };
  static constexpr std::uint32_t near_lanes = 2;
  struct alignas(64) Port {  // what a hop needs: one cache line
    SimTime free_at{};
    std::int64_t waiting_bytes = 0;
    Lane near[near_lanes];
    LineTime line;
    std::int64_t carried_bytes = 0;                 ///< on the line so far, control messages included
    std::uint32_t capacity = 0;                     ///< of a lane of the empty far buffer [B]
    std::uint8_t lanes = 0;                         ///< of the far buffer; 0: no flow control, one lane
    bool is_connected = false, is_counted = false;  ///< is_counted: meters_ or counts_ are kept
    bool errs : 1 = false;                          ///< errors_ has the line
    bool fails : 1 = false;                         ///< health_ has outages of its link
    bool is_watched : 1 = false;                    ///< its timer runs: trains wait on a link that fails
    bool was_dark : 1 = false;                      ///< dark_until_ has it
  };
  static_assert(sizeof(Port) == 64);
  struct LaneCount {                    // for the queue table
    SimTime total_wait{}, max_ahead{};  ///< of the line's reservations
    std::int64_t max_waiting = 0;       ///< at the port [B]
  };

  Lane& lane_of(Port& p, const Context& context, PortIndex port, std::uint8_t lane) {
    if (p.lanes == 0) return p.near[0];
    if (lane >= p.lanes) refuse_lane(context, port, lane);
    return lane < near_lanes ? p.near[lane] : far_lane(port, lane);
  }
  const Lane& lane_of(const Port& p, const Context& context, PortIndex port, std::uint8_t lane) const {
    return const_cast<EgressBank*>(this)->lane_of(const_cast<Port&>(p), context, port, lane);
  }
  Lane& far_lane(PortIndex port, std::uint32_t lane) {
    return far_lanes_[std::size_t{port} * (max_lanes - near_lanes) + lane - near_lanes];
  }
  [[noreturn]] void refuse_lane(const Context& context, PortIndex port, std::uint8_t lane) const;
  LaneCount& count_of(PortIndex port, std::uint8_t lane) {
    return counts_[std::size_t{port} * max_lanes + (ports_[port].lanes == 0 ? 0 : lane)];
  }
  LineErrors& errors_of(PortIndex port) { return errors_[errors_by_port_[port]]; }
  std::size_t debt_index(PortIndex port, std::uint8_t lane) const {
    return std::size_t{port} * max_lanes + lane;
  }
  std::uint32_t debt_of(PortIndex port, std::uint8_t lane) const {
    return debts_.empty() ? 0 : debts_[debt_index(port, lane)];
  }
  [[nodiscard]] bool is_up(PortIndex port, SimTime now) const;
  [[nodiscard]] SimTime cut_at(PortIndex port, SimTime start, SimTime busy) const;
  void watch(Context& context, PortIndex port);
  void wait(Context& context, PortIndex port, Lane& lane, const Frame& train, SimTime ready, PortIndex from,
            std::uint8_t from_lane);
  Lane& take_credit(const Context& context, PortIndex port, const Credit& credit);
  void count(Context& context, PortIndex port, const Frame& train, SimTime ready, SimTime start,
             SimTime busy);
  SimTime put(Context& context, PortIndex port, Lane& lane, const Frame& train, SimTime ready) {
    Port& p = ports_[port];
    SimTime start = std::max({ready, context.now(), p.free_at});
    SimTime busy = p.line.of(train.bytes);
    if (p.errs) start = errors_of(port).last_start(start, busy, train.bytes);
    if (p.fails)
      if (const SimTime cut = cut_at(port, start, busy); cut != time_never) {
        p.free_at = cut;
        cut_off_.push_back({train, port});
        return context.now();
      }
    p.free_at = start + busy;
    return leave(context, port, lane, train, ready, start, busy);
  }
  /// The line has `train` from `start` on, for `busy`.
  SimTime leave(Context& context, PortIndex port, Lane& lane, const Frame& train, SimTime ready,
                SimTime start, SimTime busy) {
    Port& p = ports_[port];
    if (p.lanes != 0) lane.credits -= train.bytes;
    p.carried_bytes += train.bytes;
    if (p.is_counted) count(context, port, train, ready, start, busy);
    context.send(port, start, to_payload(train));
    return start + busy;
  }

  SmallArray<Port, 3> ports_;
  CreditQueue pool_;
  std::vector<Lane> far_lanes_;  ///< by port, lanes from the third on; empty where no port has them
  /// By port and lane: credits that messages between packets took from trains not yet begun [B]; the next
  /// ones to come back pay for them. Empty while nothing was taken.
  std::vector<std::uint32_t> debts_;
  std::vector<LineErrors> errors_;             ///< of the lines that err at all
  std::vector<std::uint16_t> errors_by_port_;  ///< indices into errors_; empty where no line errs
  const Model* model_;
  const HealthTable* health_ = nullptr;     ///< null: no link of the run ever fails
  std::vector<LinkId> links_;               ///< by port; empty where health_ is null
  std::vector<CutOff> cut_off_;             ///< empty between events
  std::vector<SimTime> dark_until_;         ///< by port; empty where none was ever marked
  std::vector<double> energy_pj_per_byte_;  ///< by port
  MeterSettings meter_settings_;
  std::vector<LinkMeter> meters_;  ///< by port; empty unless link_use is recorded
  std::vector<LaneCount> counts_;  ///< by port and lane; empty unless queue is recorded
};

}  // namespace lightrail

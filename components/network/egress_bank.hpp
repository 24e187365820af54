#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "components/network/line_errors.hpp"
#include "components/network/line_time.hpp"
#include "components/network/link_meter.hpp"
#include "components/network/port_end.hpp"
#include "components/network/train.hpp"
#include "components/network/waiting_pool.hpp"
#include "engine/model/component.hpp"

namespace lightrail {

/// The sending side of all ports of one component: a line that serialises, credits per virtual lane and a
/// FIFO per lane of trains that wait for credits.
///
/// Model: a train whose lane has credits and nobody waiting reserves the line at once, in the order of
/// asking:
///   start = max(ready, free), free = start + bytes / rate.
/// So most trains cost no event here; only a train without credits waits, and the credit that frees it sends
/// it. Assumes FIFO over all lanes of a line (no priorities); a reservation is never taken back; a line
/// that errs (LineErrors) delays its trains in their order. Leaves out packet headers (the rate of a link
/// class is its payload rate).
///
/// Contract: every port's far end returns the credits of what it took (CreditReturn), or has no buffer to
/// return.
class EgressBank {
 public:
  explicit EgressBank(const BuildContext& build);

  bool is_connected(PortIndex port) const { return ports_[port].is_connected; }
  SimTime free_at(PortIndex port) const { return ports_[port].free_at; }
  BitRate rate(PortIndex port) const { return ports_[port].line.rate(); }
  SimTime line_time(PortIndex port, std::uint32_t bytes) { return ports_[port].line.of(bytes); }
  /// How long the line would be busy if all that waits could go; what adaptive routing compares.
  SimTime load(PortIndex port, SimTime now) const {
    const Port& p = ports_[port];
    return std::max(p.free_at - now, SimTime{0}) + p.ps_per_byte * p.waiting_bytes;
  }
  /// True when `bytes` on `lane` would not have to wait for credits.
  bool has_credit(PortIndex port, std::uint8_t lane, std::uint32_t bytes, const Context& context) const;

  /// Sends `train` on `port`, not before `ready` (>= now). Returns when its tail leaves, or nothing if it
  /// must wait for credits; `from` (the port it came in on) is then handed back by on_credit.
  std::optional<SimTime> offer(Context& context, PortIndex port, const Payload& train, SimTime ready,
                               PortIndex from = self_port);

  /// Takes a WireKind::credit that came in on `port` and sends what it frees: left(train, from, tail) for
  /// each.
  template <class Left>
  void on_credit(Context& context, PortIndex port, const Payload& credit, Left&& left) {
    Lane& lane = take_credit(context, port, credit);
    Port& p = ports_[port];
    while (lane.first_waiting != WaitingPool::none && lane.credits >= pool_[lane.first_waiting].train.bytes) {
      Waiting w = pool_.pop(lane.first_waiting, lane.last_waiting);
      p.waiting_bytes -= w.train.bytes;
      SimTime tail = put(context, port, lane, w.train, w.ready);
      left(w.train, w.from, tail);
    }
  }

  /// Rows of link_use and queue. Call from Component::finish.
  void finish(Context& context);
  /// Payload carried times the energy per bit of the links [pJ].
  double link_energy_pj() const;
  /// Serialisation time of the port that was busy longest.
  SimTime longest_busy() const;
  /// "port 3 lane 0: 5 trains (327680 B) wait for credits", one an item.
  std::vector<std::string> waits_for() const;
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static constexpr std::uint16_t no_errors = 0xffff;
  struct Lane {
    std::int64_t credits = 0;  ///< [B]
    std::uint32_t first_waiting = WaitingPool::none, last_waiting = WaitingPool::none;
    SimTime total_wait{}, max_ahead{};  ///< of the line's reservations
    std::int64_t max_waiting = 0;       ///< at the port [B]
  };
  struct Port {
    SimTime free_at{};
    std::int64_t waiting_bytes = 0;
    SimTime ps_per_byte{};  ///< rounded up; for load() only
    LineTime line;
    std::uint32_t first_lane = 0;
    std::uint8_t lanes = 0;  ///< of the far buffer; 0: no flow control, one lane
    bool is_connected = false;
    std::uint16_t errors = no_errors;  ///< index into errors_
    LinkId link{};
    std::int64_t capacity = 0;  ///< credits of an empty far buffer, per lane [B]
    LinkMeter meter;
  };

  std::size_t lane_index(const Context& context, PortIndex port, std::uint8_t lane) const;
  Lane& take_credit(const Context& context, PortIndex port, const Payload& credit);
  SimTime put(Context& context, PortIndex port, Lane& lane, const Payload& train, SimTime ready);

  const Model* model_;
  MeterSettings meter_settings_;
  std::vector<Port> ports_;
  std::vector<Lane> lanes_;
  std::vector<LineErrors> errors_;  ///< of the lines that err at all
  std::vector<double> energy_pj_per_byte_;
  bool is_queue_recorded_ = false;
  WaitingPool pool_;
};

}  // namespace lightrail

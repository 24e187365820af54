#pragma once
#include <vector>

#include "network/port/credit/credit_return.hpp"
#include "network/port/egress_bank.hpp"
#include "network/wire/link_change.hpp"

namespace lightrail {

/// The data path of a device that forwards trains: input buffers with credits, any-to-any, output lines.
///
/// Model: cut-through; a head that arrives at t may leave at t + latency, later where its input line is
/// slower than its output line (by the difference of the serialisation times), so that no tail leaves before
/// it arrived. One event per train, and one per batch of credits. Leaves out: internal speed limits,
/// arbitration between inputs other than by arrival, head-of-line blocking inside an input buffer.
class Crossbar {
 public:
  Crossbar(const BuildContext& build, SimTime latency);

  /// Forwards `train`, whose head is here now.
  void forward(Context& context, const Frame& train, PortIndex in, PortIndex out) {
    if (auto tail = egress_.offer(context, out, train, ready(context, train, in, out), in))
      returns_.freed(context, in, train, *tail);
  }
  /// The same, and it leaves on another lane than it came in on.
  void forward_on_lane(Context& context, const Frame& train, PortIndex in, PortIndex out, std::uint8_t lane) {
    Frame moved = train;
    moved.lane = lane;
    if (auto tail = egress_.offer(context, out, moved, ready(context, moved, in, out), in, train.lane))
      returns_.freed(context, in, train, *tail);
  }
  /// Sends `train`, made from one whose head came in on `in` now and whose buffer is kept or freed by itself.
  void send(Context& context, const Frame& train, PortIndex in, PortIndex out) {
    egress_.offer(context, out, train, ready(context, train, in, out));
  }
  /// When the tail of `train`, whose head came in on `in` now, is here.
  SimTime tail(Context& context, const Frame& train, PortIndex in) {
    return context.now() + in_lines_[in].of(train.bytes);
  }
  /// Keeps `train`, which came in on `in`: its buffer is free again at `at` (>= now).
  void take(Context& context, const Frame& train, PortIndex in, SimTime at) {
    returns_.freed(context, in, train, at);
  }
  /// Takes a credit that came in on `port`.
  void credit(Context& context, const Credit& freed, PortIndex port) {
    egress_.on_credit(context, port, freed, [&](const Frame& train, PortIndex from, SimTime tail) {
      if (from != self_port) returns_.freed(context, from, train, tail);
    });
  }
  /// The timer of a port whose link has gone down or come up.
  void on_link_change(Context& context, const LinkChange& change) {
    egress_.on_link_change(context, static_cast<PortIndex>(change.port),
                           [&](const Frame& train, PortIndex from) {
                             if (from != self_port) returns_.freed(context, from, train, context.now());
                           });
  }
  EgressBank& egress() { return egress_; }
  const EgressBank& egress() const { return egress_; }

  void prefetch_all() const {
    egress_.prefetch_all();
    returns_.prefetch_all();
    for (std::size_t i = 0; i < in_lines_.size(); i += 8) __builtin_prefetch(&in_lines_[i]);
  }
  /// Before credit(). Needs the port to be near.
  void prefetch_credit(PortIndex port, std::uint8_t lane) const {
    if (port < egress_.port_count()) egress_.prefetch_waiting(port, lane);
  }
  void finish(Context& context) { egress_.finish(context); }
  void save(StateWriter& out) const { egress_.save(out), returns_.save(out); }
  void load(StateReader& in) { egress_.load(in), returns_.load(in); }

 private:
  SimTime ready(Context& context, const Frame& train, PortIndex in, PortIndex out) {
    SimTime ready = context.now() + latency_;
    BitRate in_rate = in_lines_[in].rate(), out_rate = egress_.rate(out);
    if (in_rate.value != 0 && (in_rate < out_rate || out_rate.value == 0))
      ready += in_lines_[in].of(train.bytes) - egress_.line_time(out, train.bytes);
    return ready;
  }

  EgressBank egress_;
  CreditReturn returns_;
  SimTime latency_;
  SmallArray<LineTime, 3> in_lines_;  ///< by port; of rate 0 where nothing is connected
};

}  // namespace lightrail

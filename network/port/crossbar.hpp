#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/prefetch.hpp"
#include "engine/base/small_array.hpp"
#include "network/port/egress_bank.hpp"
#include "network/port/input_bank.hpp"
#include "network/port/input_queues.hpp"
#include "network/wire/link_change.hpp"

namespace lightrail {

/// The data path of a device that forwards trains: input buffers under flow control, any-to-any, output
/// lines.
///
/// Model: cut-through; a head that arrives at t may leave at t + latency, later where its input line is
/// slower than its output line (by the difference of the serialisation times), so that no tail leaves before
/// it arrived. One event per train, and one per message of flow control. What waits for different outputs
/// waits in queues of its own (virtual output queues), unless inputs are FIFOs (InputQueues), which costs an
/// event more for a train that is held up. Leaves out: internal speed limits, arbitration between inputs
/// other than by arrival.
class Crossbar {
 public:
  /// What waits in an input buffer: `virtual_output`: trains for each output by themselves; `fifo`: one
  /// queue.
  enum class Queueing : std::uint8_t { virtual_output, fifo };

  Crossbar(const BuildContext& build, SimTime latency, Queueing queueing = Queueing::virtual_output);
  Crossbar(const Crossbar&) = delete;  // its inputs send by its egress
  Crossbar& operator=(const Crossbar&) = delete;

  /// Forwards `train`, whose head is here now. False: the input had no room, and it is lost.
  [[gnu::always_inline]] bool forward(Context& context, const Frame& train, PortIndex in, PortIndex out) {
    if (!inputs_.taken(context, in, train)) return false;
    if (is_fifo_) return queue(context, train, in, out, train.lane);
    if (auto tail = egress_.offer(context, out, train, ready(context, train, in, out), in))
      inputs_.freed(context, in, train, *tail);
    return true;
  }
  /// The same, and it leaves on another lane than it came in on.
  bool forward_on_lane(Context& context, const Frame& train, PortIndex in, PortIndex out, std::uint8_t lane) {
    Frame moved = train;
    moved.lane = lane;
    return forward_as(context, train, moved, in, out);
  }
  /// Forwards what came in as `came` as `train`, of the same length.
  bool forward_as(Context& context, const Frame& came, const Frame& train, PortIndex in, PortIndex out);
  /// As forward(), to a port that is open: the far end is told `told` instead, or nothing.
  bool pass(Context& context, const Frame& train, PortIndex in, PortIndex out, const Payload* told) {
    if (!inputs_.taken(context, in, train)) return false;
    inputs_.freed(context, in, train,
                  egress_.pass(context, out, train, ready(context, train, in, out), told));
    return true;
  }
  /// Sends `train`, made from one whose head came in on `in` now and whose buffer is kept or freed by itself.
  void send(Context& context, const Frame& train, PortIndex in, PortIndex out) {
    egress_.offer(context, out, train, ready(context, train, in, out));
  }
  /// Sends `frame`, small and taken out of the input at once, ahead of all payload.
  void send_first(Context& context, const Frame& frame, PortIndex in, PortIndex out) {
    egress_.send_first(context, out, frame, ready(context, frame, in, out));
  }
  /// When the tail of `train`, whose head came in on `in` now, is here.
  SimTime tail(Context& context, const Frame& train, PortIndex in) {
    return context.now() + in_lines_[in].of(train.bytes);
  }
  /// Keeps `train`, which came in on `in`: its buffer is free again at `at` (>= now). False as forward().
  bool take(Context& context, const Frame& train, PortIndex in, SimTime at) {
    if (!inputs_.taken(context, in, train)) return false;
    inputs_.freed(context, in, train, at);
    return true;
  }
  /// Keeps `train`, which came in on `in`, until release().
  void hold(Context& context, const Frame& train, PortIndex in) { inputs_.taken(context, in, train); }
  /// The buffer of `train`, which came in on `in` and was held, is free again at `at` (>= now).
  void release(Context& context, const Frame& train, PortIndex in, SimTime at) {
    inputs_.freed(context, in, train, at);
  }
  /// Takes a message of flow control that came in on `port`, or on self_port a timer of it. Returns the port
  /// on which more may leave now.
  PortIndex on_flow_control(Context& context, const Payload& message, PortIndex port) {
    const auto left = [&](const Frame& train, PortIndex from, SimTime tail) {
      if (from != self_port) freed(context, from, train, tail);
    };
    if (port == self_port) return on_flow_timer(context, as<FlowTimer>(message), left);
    egress_.on_flow_control(context, port, message, left);
    return port;
  }
  /// The timer of a port whose link has gone down or come up.
  void on_link_change(Context& context, const LinkChange& change) {
    egress_.on_link_change(context, static_cast<PortIndex>(change.port),
                           [&](const Frame& train, PortIndex from) {
                             if (from != self_port) freed(context, from, train, context.now());
                           });
  }
  EgressBank& egress() { return egress_; }
  [[nodiscard]] const EgressBank& egress() const { return egress_; }
  InputBank& inputs() { return inputs_; }
  [[nodiscard]] const InputBank& inputs() const { return inputs_; }

  void tell_hot(HotLines& lines) const {
    egress_.tell_hot(lines), inputs_.tell_hot(lines);
    lines.add_all(latency_, has_slow_inputs_);
    lines.add(&in_lines_, 1);  // what leads to those of many ports
  }
  /// What a train needs that comes in on `in`, but for its output.
  void prefetch_input(PortIndex in, std::uint8_t lane) const {
    inputs_.prefetch(in, lane);
    if (has_slow_inputs_) prefetch_line(&in_lines_[in]);
  }
  /// Before on_flow_control(). Needs the port to be near.
  void prefetch_waiting(PortIndex port, std::uint8_t lane) const {
    if (port < egress_.port_count()) egress_.prefetch_waiting(port, lane);
  }
  void finish(Context& context) { egress_.finish(context), inputs_.finish(context); }
  /// As EgressBank has it, and what is held up in the inputs.
  [[nodiscard]] std::vector<std::string> waits_for() const;
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  Crossbar(const BuildContext& build, const std::vector<PortEnd>& ends, SimTime latency, Queueing queueing);
  /// A train that waited at its output leaves it at `tail`.
  void freed(Context& context, PortIndex in, const Frame& train, SimTime tail) {
    inputs_.freed(context, in, train, tail);
    if (is_fifo_) go_on(context, in, train.lane, tail);
  }
  bool queue(Context& context, const Frame& train, PortIndex in, PortIndex out, std::uint8_t from_lane);
  void advance(Context& context, PortIndex in, std::uint8_t lane);
  void go_on(Context& context, PortIndex in, std::uint8_t lane, SimTime tail);
  void watch(Context& context, PortIndex in, std::uint8_t lane);
  template <class Left>
  PortIndex on_flow_timer(Context& context, const FlowTimer& timer, Left&& left) {
    switch (timer.side) {
      case FlowTimer::Side::sender:
        egress_.on_flow_timer(context, timer, left);
        break;
      case FlowTimer::Side::receiver:
        inputs_.on_timer(context, timer);
        break;
      case FlowTimer::Side::line:
        egress_.on_line_free(context, timer.port, left);
        break;
      case FlowTimer::Side::input:
        queues_->woken(timer.port, static_cast<std::uint8_t>(timer.detail));
        advance(context, timer.port, static_cast<std::uint8_t>(timer.detail));
        break;
    }
    return timer.port;
  }
  [[gnu::always_inline]] SimTime ready(Context& context, const Frame& train, PortIndex in, PortIndex out) {
    SimTime ready = context.now() + latency_;
    if (!has_slow_inputs_) return ready;
    BitRate in_rate = in_lines_[in].rate(), out_rate = egress_.rate(out);
    if (in_rate.value != 0 && (in_rate < out_rate || out_rate.value == 0))
      ready += in_lines_[in].of(train.bytes) - egress_.line_time(out, train.bytes);
    return ready;
  }

  [[no_unique_address]] EgressBank egress_;
  // In the line of egress_ that leads to others: all that a NIC needs besides of a train from its fabric.
  SimTime latency_;
  const bool is_fifo_;                   ///< queues_ are there
  bool has_slow_inputs_ = false;         ///< fixed: some are slower than some outputs
  SmallArray<LineTime, 3> in_lines_;     ///< by port; of rate 0 where nothing is connected
  std::unique_ptr<InputQueues> queues_;  ///< of inputs that are FIFOs; null: they are none
  InputBank inputs_;
};

}  // namespace lightrail

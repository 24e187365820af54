#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/send_queue.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// The order in which trains leave the input buffers of a switch that keeps one FIFO for each input and lane,
/// whatever the outputs (input-queued): a train that waits for its output holds up those behind it, also
/// where theirs are free (head-of-line blocking). Under uniform random traffic such a switch of large radix
/// carries 2 - sqrt(2) = 58.6 % of its lines.
///   M. Karol, M. Hluchyj, S. Morgan: Input versus output queueing on a space-division packet switch. IEEE
///   Transactions on Communications 35(12), 1987.
///
/// Model: an input is read at the rate of the line that it is sent on; the next train of a FIFO asks for its
/// output when the tail of the one before has left. Assumes that the output was chosen on arrival. Leaves out
/// trains that the switch itself takes (SHARP's sums): these pass the FIFO.
class InputQueues {
 public:
  /// A train that has come in, and where it is to go.
  struct Entry {
    Frame train{};    ///< as it leaves
    SimTime ready{};  ///< earliest start
    PortIndex out = 0;
    std::uint8_t from_lane = 0;  ///< lane that it came in on
    std::uint8_t unused[5] = {};
  };

  explicit InputQueues(std::uint32_t ports) : inputs_(std::size_t{ports} * max_lanes), ports_(ports) {}

  void push(PortIndex in, const Entry& entry);
  /// Whether the oldest train may ask for its output now: there is one, and none before it is still leaving.
  [[nodiscard]] bool may_go(PortIndex in, std::uint8_t lane, SimTime now) const;
  [[nodiscard]] Entry pop(PortIndex in, std::uint8_t lane);
  /// The train that was popped has been given its line, up to `tail`.
  void leaves(PortIndex in, std::uint8_t lane, SimTime tail);
  /// It waits at its output; leaves() follows.
  void waits(PortIndex in, std::uint8_t lane) { at(in, lane).is_waiting = true; }
  /// When to look again, where that is not asked for already; time_never: nothing waits for that.
  [[nodiscard]] SimTime wake(PortIndex in, std::uint8_t lane);
  /// The time of wake() has come.
  void woken(PortIndex in, std::uint8_t lane) { at(in, lane).is_watched = false; }

  /// Trains that wait behind others, and their bytes [B].
  struct Count {
    std::int64_t trains = 0, bytes = 0;
  };
  [[nodiscard]] Count held_up() const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  /// Of a port and lane.
  struct Input {
    std::vector<Entry> fifo;  ///< from `first` on
    std::uint32_t first = 0;
    SimTime busy_until{};  ///< the tail of the last train that left
    bool is_waiting = false, is_watched = false;
  };
  Input& at(PortIndex in, std::uint8_t lane) { return inputs_[std::size_t{lane} * ports_ + in]; }
  [[nodiscard]] const Input& at(PortIndex in, std::uint8_t lane) const {
    return inputs_[std::size_t{lane} * ports_ + in];
  }

  std::vector<Input> inputs_;
  std::uint32_t ports_;
};

}  // namespace lightrail

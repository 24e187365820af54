#include "network/port/input_queues.hpp"

#include <algorithm>

#include "engine/base/error.hpp"

namespace lightrail {

void InputQueues::push(PortIndex in, const Entry& entry) {
  at(in, entry.from_lane).fifo.push_back(entry);
}

bool InputQueues::may_go(PortIndex in, std::uint8_t lane, SimTime now) const {
  const Input& input = at(in, lane);
  return input.first < input.fifo.size() && !input.is_waiting && input.busy_until <= now;
}

InputQueues::Entry InputQueues::pop(PortIndex in, std::uint8_t lane) {
  Input& input = at(in, lane);
  LIGHTRAIL_EXPECT(input.first < input.fifo.size());
  const Entry oldest = input.fifo[input.first++];
  if (2 * input.first >= input.fifo.size()) {
    input.fifo.erase(input.fifo.begin(), input.fifo.begin() + input.first);
    input.first = 0;
  }
  return oldest;
}

void InputQueues::leaves(PortIndex in, std::uint8_t lane, SimTime tail) {
  Input& input = at(in, lane);
  input.is_waiting = false;
  input.busy_until = std::max(input.busy_until, tail);
}

SimTime InputQueues::wake(PortIndex in, std::uint8_t lane) {
  Input& input = at(in, lane);
  if (input.first == input.fifo.size() || input.is_waiting || input.is_watched) return time_never;
  input.is_watched = true;
  return input.busy_until;
}

InputQueues::Count InputQueues::held_up() const {
  Count count;
  for (const Input& input : inputs_)
    for (std::size_t i = input.first; i < input.fifo.size(); ++i)
      ++count.trains, count.bytes += input.fifo[i].train.bytes;
  return count;
}

void InputQueues::save(StateWriter& out) const {
  for (const Input& input : inputs_) {
    out.put(std::vector<Entry>(input.fifo.begin() + input.first, input.fifo.end()));
    out.put(input.busy_until), out.put(std::uint8_t{input.is_waiting}),
        out.put(std::uint8_t{input.is_watched});
  }
}

void InputQueues::load(StateReader& in) {
  for (Input& input : inputs_) {
    std::uint8_t is_waiting = 0, is_watched = 0;
    in.get(input.fifo), in.get(input.busy_until), in.get(is_waiting), in.get(is_watched);
    input.first = 0, input.is_waiting = is_waiting != 0, input.is_watched = is_watched != 0;
  }
}

}  // namespace lightrail

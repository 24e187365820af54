#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// Messages that go in parts: each has a number until the last of its parts is done. Plain state.
template <class Message>
class MessageJoins {
  static_assert(std::is_trivially_copyable_v<Message>);

 public:
  struct Done {
    Message message{};
    SimTime first{}, last{};  ///< of the times given for its parts: the smallest first, the largest last
  };

  /// A message of `parts` (> 0); returns its number.
  std::uint32_t open(const Message& message, std::uint32_t parts) {
    std::uint32_t number = free_;
    if (number == none) {
      number = static_cast<std::uint32_t>(open_.size());
      open_.emplace_back();
    } else {
      free_ = open_[number].next_free;
    }
    open_[number] = {{message, time_never, SimTime{0}}, parts, none};
    return number;
  }
  /// A part of message `number` began at `first` and ended at `last`. The message, if that was the last one;
  /// its number is free then.
  std::optional<Done> done(std::uint32_t number, SimTime first, SimTime last) {
    Open& open = open_[number];
    open.so_far.first = std::min(open.so_far.first, first);
    open.so_far.last = std::max(open.so_far.last, last);
    if (--open.parts_left > 0) return std::nullopt;
    open.next_free = free_;
    free_ = number;
    return open.so_far;
  }

  /// call(message) of each of which a part is not done.
  template <class Call>
  void for_each_open(Call&& call) const {
    for (const Open& open : open_)
      if (open.parts_left > 0) call(open.so_far.message);
  }

  void save(StateWriter& out) const { out.put(open_), out.put(free_); }
  void load(StateReader& in) { in.get(open_), in.get(free_); }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct Open {
    Done so_far{};
    std::uint32_t parts_left = 0;
    std::uint32_t next_free = none;
  };
  std::vector<Open> open_;
  std::uint32_t free_ = none;
};

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/prefetch.hpp"
#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// A train that its port's flow control does not let go yet, or whose turn it is not. Never across two cache
/// lines.
struct alignas(32) Waiting {
  Frame train{};
  SimTime ready{};  ///< earliest start
  std::uint32_t next = 0;
  PortIndex from = 0;  ///< port and lane it came in on
  std::uint8_t from_lane = 0;
  std::uint8_t unused = 0;
};

/// FIFOs of waiting trains, linked by index through one array; freed places are used again, so a steady state
/// allocates nothing. A FIFO is a pair (first, last), both `none` when empty.
class SendQueue {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  const Waiting& operator[](std::uint32_t index) const { return places_[index]; }

  void push(std::uint32_t& first, std::uint32_t& last, const Waiting& waiting) {
    auto index = static_cast<std::uint32_t>(places_.size());
    if (free_.empty()) {
      places_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    places_[index] = waiting;
    places_[index].next = none;
    if (last == none)
      first = index;
    else
      places_[last].next = index;
    last = index;
  }
  [[gnu::always_inline]] Waiting pop(std::uint32_t& first, std::uint32_t& last) {
    std::uint32_t index = first;
    Waiting out = places_[index];
    first = out.next;
    if (first == none)
      last = none;
    else
      prefetch_line(&places_[first]);
    free_.push_back(index);
    return out;
  }
  void save(StateWriter& out) const { out.put(places_), out.put(free_); }
  void load(StateReader& in) { in.get(places_), in.get(free_); }

 private:
  std::vector<Waiting> places_;
  std::vector<std::uint32_t> free_;  ///< beside them, since most have left the cache since they were used
};

}  // namespace lightrail

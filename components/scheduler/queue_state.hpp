#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/model/state_io.hpp"

namespace lightrail {

/// Saves and loads a queue of requests as if it were a vector.
inline void put_queue(StateWriter& out, const std::deque<std::uint32_t>& queue) {
  out.put(std::vector<std::uint32_t>(queue.begin(), queue.end()));
}
inline void get_queue(StateReader& in, std::deque<std::uint32_t>& queue) {
  std::vector<std::uint32_t> all;
  in.get(all);
  queue.assign(all.begin(), all.end());
}

}  // namespace lightrail

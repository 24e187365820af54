#include "workloads/collective/shared_line.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "engine/base/transfer_time.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {
namespace {

constexpr Wide unit = Wide{1} << 20;  // of what each message has had of the line, in a picosecond

}  // namespace

SimTime SharedLine::time_of(std::int64_t bytes) const {
  return bytes == 0 || rate_.value == 0 ? SimTime{0} : transfer_time(Bytes{bytes}, rate_);
}

std::vector<std::uint32_t> SharedLine::in_order() const {
  std::vector<std::uint32_t> order(all_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return all_[a].at < all_[b].at; });
  return order;
}

SimTime SharedLine::last_end() const {
  return last_end(in_order());
}

/// The line never rests while something is there.
SimTime SharedLine::last_end(const std::vector<std::uint32_t>& order) const {
  std::int64_t left = 0;
  SimTime last{0};
  for (std::size_t k = order.size(); k > 0; --k) {
    const Message& message = all_[order[k - 1]];
    left += message.bytes;
    last = std::max(last, message.at + time_of(left));
  }
  return last;
}

void SharedLine::run() {
  const std::vector<std::uint32_t> order = in_order();
  const SimTime last = last_end(order);
  // Of those that are there, by what each of them will have had when it has ended.
  using Due = std::pair<Wide, std::uint32_t>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> there;
  Wide had = 0;
  SimTime now{0};
  for (std::size_t next = 0; next < order.size() || !there.empty();) {
    const SimTime arrival = next < order.size() ? all_[order[next]].at : time_never;
    if (there.empty()) {
      now = arrival;
    } else {
      const Wide needed = (there.top().first - had) * static_cast<Wide>(there.size());
      const SimTime end = now + SimTime{static_cast<std::int64_t>((needed + unit - 1) / unit)};
      if (end <= arrival) {
        had = there.top().first;
        now = end;
        all_[there.top().second].end = std::min(end, last);
        there.pop();
        continue;
      }
      had += Wide{(arrival - now).count()} * unit / static_cast<Wide>(there.size());
      now = arrival;
    }
    there.emplace(had + Wide{time_of(all_[order[next]].bytes).count()} * unit, order[next]);
    ++next;
  }
}

}  // namespace lightrail

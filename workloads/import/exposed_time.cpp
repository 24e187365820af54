#include "workloads/import/exposed_time.hpp"

#include <algorithm>
#include <cstddef>

namespace lightrail {

namespace {

/// Sorted and without overlaps.
void merge(Spans& spans) {
  std::sort(spans.begin(), spans.end());
  Spans merged;
  for (const auto& [start, end] : spans) {
    if (end <= start) continue;
    if (!merged.empty() && start <= merged.back().second)
      merged.back().second = std::max(merged.back().second, end);
    else
      merged.emplace_back(start, end);
  }
  spans = std::move(merged);
}

}  // namespace

std::int64_t exposed_time(Spans communication, Spans other) {
  merge(communication);
  merge(other);
  std::int64_t exposed = 0;
  std::size_t next = 0;
  for (const auto& [start, end] : communication) {
    exposed += end - start;
    while (next < other.size() && other[next].second <= start) ++next;
    for (std::size_t i = next; i < other.size() && other[i].first < end; ++i)
      exposed -= std::min(end, other[i].second) - std::max(start, other[i].first);
  }
  return exposed;
}

}  // namespace lightrail

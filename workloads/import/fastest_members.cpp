#include "workloads/import/fastest_members.hpp"

#include <algorithm>

namespace lightrail {

void FastestMembers::add(CollectiveType type, std::int64_t bytes, std::int64_t duration_ps) {
  durations_.push_back(duration_ps);
  Capture::Kind& kind = kinds_[{type, bytes}];
  kind.type = type;
  kind.bytes = bytes;
  ++kind.count;
  kind.fastest_sum_ps += duration_ps;
}

void FastestMembers::into(Capture& capture) const {
  capture.fastest_sum_ps = capture.fastest_median_ps = 0;
  capture.kinds.clear();
  if (durations_.empty()) return;
  std::vector<std::int64_t> sorted = durations_;
  std::sort(sorted.begin(), sorted.end());
  capture.fastest_median_ps = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  for (const auto& [key, kind] : kinds_) {
    capture.kinds.push_back(kind);
    capture.fastest_sum_ps += kind.fastest_sum_ps;
  }
}

}  // namespace lightrail

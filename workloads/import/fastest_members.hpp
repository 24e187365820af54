#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "workloads/job/job.hpp"

namespace lightrail {

/// Durations of collectives as their fastest members took them, which have no waiting in them.
class FastestMembers {
 public:
  void add(CollectiveType type, std::int64_t bytes, std::int64_t duration_ps);
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(durations_.size()); }
  /// Fills median, sum and kinds.
  void into(Capture& capture) const;

 private:
  std::vector<std::int64_t> durations_;
  std::map<std::pair<CollectiveType, std::int64_t>, Capture::Kind> kinds_;
};

}  // namespace lightrail

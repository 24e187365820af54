#pragma once
#include <cstdint>
#include <deque>
#include <optional>

#include "engine/base/time.hpp"
#include "workloads/goodput/goodput_plan.hpp"

namespace lightrail {

/// Servers that stand by and those in repair.
class SparePool {
 public:
  /// None: a spare is always there.
  explicit SparePool(const std::optional<SparesPlan>& plan);

  /// A server fails at `now`, which never goes back, and goes to repair. When the one that takes its place is
  /// there: now, or when the first repair ends that nobody waits for.
  [[nodiscard]] SimTime replace(SimTime now);

 private:
  std::optional<SparesPlan> plan_;
  std::uint32_t standing_by_ = 0;
  std::deque<SimTime> repaired_;  ///< ends of repairs, in their order
};

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/time.hpp"
#include "network/health/outage.hpp"

namespace lightrail {

/// Of a GPU's speed, in millionths, all of it: the GPU stands still.
inline constexpr std::int64_t all_speed = 1'000'000;

/// In a span of time a GPU lacks a part of its speed: a fault takes all of it, a throttle some.
struct Slowdown {
  Outage span;
  std::int64_t lost = all_speed;  ///< millionths of the GPU's speed, 1 to all_speed
};

/// From `at` on, until the next change, so much of a GPU's speed is missing.
struct PaceChange {
  SimTime at{};
  std::int64_t lost = 0;  ///< millionths, 0 to all_speed
  bool operator==(const PaceChange&) const = default;
};

/// The changes of one GPU's speed, by time, no two of a moment: of slowdowns that overlap, in any order, the
/// worst counts.
[[nodiscard]] std::vector<PaceChange> pace_changes_of(const std::vector<Slowdown>& slowdowns);

}  // namespace lightrail

#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/base/time.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {

/// What a run stands for that simulates `simulated` of `all` iterations which are alike: it is longer by
/// `added`, and what is counted over it is that of all of them.
struct WholeRun {
  SimTime added{};
  std::int64_t simulated = 1, all = 1;

  /// A count over the run: bytes, messages, busy time. Iterations that are alike share it equally.
  [[nodiscard]] std::int64_t of(std::int64_t count) const {
    return static_cast<std::int64_t>(Wide{count} * all / simulated);
  }
  [[nodiscard]] double of(double amount) const {
    return all == simulated ? amount : amount * static_cast<double>(all) / static_cast<double>(simulated);
  }
  [[nodiscard]] SimTime of(SimTime time) const { return SimTime{of(time.count())}; }
};
/// Of a run that stands for itself.
inline constexpr WholeRun as_simulated{};

}  // namespace lightrail

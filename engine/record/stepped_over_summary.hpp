#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lightrail {

/// How alike the periods were that stand for those not simulated (table stepped_over), over all GPUs: of each
/// iteration its micro-batches, or iterations.
struct SteppedOverSummary {
  std::int64_t measured = 0, skipped = 0;  ///< periods
  /// Of the second half, which stands for those not simulated: the fastest and the slowest GPU's.
  std::int64_t shortest_period_ps = 0, period_ps = 0;
  std::int64_t earlier_period_ps = 0;  ///< the slowest GPU's of the first half
  std::int64_t difference_ps = 0;      ///< of the halves in anything that a GPU spent time on, the largest

  /// By how much less the fastest GPU takes.
  [[nodiscard]] double spread() const {
    return 1 - static_cast<double>(shortest_period_ps) / static_cast<double>(period_ps);
  }
  /// By how much more the second half takes than the first.
  [[nodiscard]] double drift() const {
    return static_cast<double>(period_ps) / static_cast<double>(earlier_period_ps) - 1;
  }
  /// By how much the steps may be wrong: those left out may have been as any GPU's, or have drifted on.
  [[nodiscard]] double uncertainty() const { return spread() + std::abs(drift()); }
  /// The same where the periods are iterations, of which each begins as the one before left its GPUs: those
  /// left out may each have changed by as much as the second of the two that were compared, up or down by
  /// chance. Twice the root of what these come to: one sum in twenty goes further.
  [[nodiscard]] double iterations_uncertainty() const {
    const double change = static_cast<double>(difference_ps) / static_cast<double>(period_ps);
    return 2 * std::max(uncertainty(), change) * std::sqrt(static_cast<double>(skipped + 1));
  }
  /// All periods are alike.
  [[nodiscard]] bool is_steady() const { return uncertainty() < 0.002; }
  /// Every GPU did the same in the same time in both halves.
  [[nodiscard]] bool is_equal() const {
    return difference_ps == 0 && period_ps == shortest_period_ps && period_ps == earlier_period_ps;
  }
};

}  // namespace lightrail

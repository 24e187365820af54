#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/base/time.hpp"
#include "workloads/goodput/goodput_plan.hpp"

namespace lightrail {

/// The failures of one run, in the order of time: independent exponential gaps, categories by their rates. A
/// function of seed and run alone, so equal failures meet every checkpoint interval and any number of ranks
/// gives the same runs.
class FailureStream {
 public:
  FailureStream(const GoodputPlan& plan, std::uint32_t run);

  /// When the next failure comes; time_never: none does.
  [[nodiscard]] SimTime at() const { return at_; }
  /// Of the next failure, an index into GoodputPlan::categories.
  [[nodiscard]] std::size_t category() const { return category_; }
  /// Of the next failure: uniform in [0, bound), bound > 0; the same however often it is asked.
  [[nodiscard]] std::uint32_t which_of(std::uint32_t bound) const;
  /// The different servers, of so many, that the next failure takes; FailureCategory::servers, as far as
  /// there are as many.
  [[nodiscard]] std::vector<std::uint32_t> servers_of(std::uint32_t bound) const;
  void advance();

 private:
  std::vector<std::uint32_t> servers_;  ///< by category
  std::vector<double> cumulative_;      ///< rates of the categories so far [1/d]
  double mean_gap_ps_ = 0;              ///< 0: nothing fails
  Random draws_, places_;
  SimTime at_{};
  std::size_t category_ = 0;
  double place_ = 0;
  std::vector<double> more_places_;  ///< of a failure that takes several servers
};

}  // namespace lightrail

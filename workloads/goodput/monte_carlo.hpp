#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/goodput/goodput_plan.hpp"
#include "workloads/goodput/goodput_use.hpp"

namespace lightrail {

/// Over runs: mean, and percentiles by nearest rank.
struct Spread {
  double mean = 0, p5 = 0, p50 = 0, p95 = 0;
};
[[nodiscard]] Spread spread_of(std::vector<double> values);

/// Effective time with another checkpoint interval, in runs of the same failures.
struct IntervalResult {
  SimTime every{};         ///< whole steps
  Spread effective;        ///< shares of the period
  double closed_form = 0;  ///< GoodputClosedForms::renewal()
};

/// What the closed forms say of the plan's own interval and of the best one.
struct ClosedFormResult {
  double rsc = 0, renewal = 0;
  double young_s = 0;  ///< infinite: nothing fails
  double best_every_s = 0, best_effective = 0;
};

/// What all runs amount to.
struct GoodputResult {
  GoodputPlan plan;
  std::vector<GoodputSample> samples;        ///< by run
  std::array<Spread, goodput_uses> shares;   ///< of the period, by use
  Spread failures;                           ///< of a run
  std::vector<double> failures_by_category;  ///< of a run, means
  double lost_groups = 0;                    ///< of a run: times that memory had lost a group's state, mean
  double committed_share = 0;                ///< of the attempted steps of all runs; of replicas; else 0
  std::vector<IntervalResult> intervals;     ///< rising; with checkpoints
  std::optional<std::size_t> best;           ///< of intervals, the largest mean
  std::optional<ClosedFormResult> closed;    ///< with checkpoints

  [[nodiscard]] const Spread& share(GoodputUse use) const { return shares[static_cast<std::size_t>(use)]; }
};

/// Plays all runs of a plan that has a step. Run i depends on the plan's seed and on i alone.
[[nodiscard]] GoodputResult play_goodput(const GoodputPlan& plan);

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <utility>

#include "workloads/goodput/goodput_plan.hpp"

namespace lightrail {

/// Expected share of effective time of a job that restarts as a whole and never waits for a spare, in closed
/// form, and whose memory never loses its state where it is kept there. `plan` has a step and a checkpoint.
/// Shares are in [0, 1], times in seconds.
class GoodputClosedForms {
 public:
  explicit GoodputClosedForms(const GoodputPlan& plan);

  /// Equation of Revisiting Reliability in Large-Scale Machine Learning Research Clusters (arXiv 2410.21680):
  ///     (1 - rate (u0 + every / 2)) / (1 + blocking / every)
  /// with the mean restart u0. First order in the rate: it takes half an interval as lost at each failure,
  /// no failure during a restart, and knows no write that goes on in the background. 0 where it is negative.
  [[nodiscard]] double rsc(double every_s) const;

  /// Exact in the long run (renewal-reward over the time from one restored state to the next): restarts that
  /// fail are begun anew, checkpoint n counts if its write has ended at the failure. With checkpoints n = 1,
  /// 2, ... complete at first + write + (n - 1) segment, which the rate q per second survives with exp(-q t):
  ///     q every E[exp(-q restart)] exp(-q (first + write)) / (1 - exp(-q segment))
  /// where first = every + blocking and segment is that of CheckpointCycle (equal to first where no write
  /// slows training). For write = 0 it is Daly's (doi 10.1016/j.future.2004.11.016).
  [[nodiscard]] double renewal(double every_s) const;

  /// Young's interval, sqrt(2 blocking / rate) [s]; 0 where nothing blocks, infinite where nothing fails.
  [[nodiscard]] double young_s() const;

  /// The interval for which renewal() is largest and that share, between a step and the period, to 0.1 %.
  [[nodiscard]] std::pair<double, double> best() const;

 private:
  GoodputPlan plan_;
  double rate_per_s_ = 0, blocking_s_ = 0, restart_survival_ = 1;
};

/// Probability that no group of `copies` servers, of which there are servers / copies, is lost whole when
/// `failed` of all servers, drawn by chance, fail at once: inclusion and exclusion over the groups,
///     sum over j of (-1)^j C(groups, j) C(servers - j copies, failed - j copies) / C(servers, failed)
/// whose first two terms are Gemini's bound (SOSP 2023), exact for failed < 2 copies.
[[nodiscard]] double copies_survive(std::uint32_t servers, std::uint32_t copies, std::uint32_t failed);

}  // namespace lightrail

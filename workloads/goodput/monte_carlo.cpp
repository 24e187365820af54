#include "workloads/goodput/monte_carlo.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/goodput/closed_forms.hpp"
#include "workloads/goodput/replica_run.hpp"
#include "workloads/goodput/training_run.hpp"

namespace lightrail {
namespace {

/// Intervals that are tried: so many to a doubling, up to so many doublings on either side.
constexpr int tried_per_doubling = 4, doublings = 3;

double share_of(SimTime time, const GoodputPlan& plan) {
  return static_cast<double>(time.count()) / static_cast<double>(plan.period.count());
}

std::vector<GoodputSample> play_all(const GoodputPlan& plan) {
  std::vector<GoodputSample> samples;
  samples.reserve(plan.runs);
  for (std::uint32_t run = 0; run < plan.runs; ++run)
    samples.push_back(plan.replicas ? play_replicas(plan, run) : play_training(plan, run));
  return samples;
}

Spread effective_share(const std::vector<GoodputSample>& samples, const GoodputPlan& plan) {
  std::vector<double> shares;
  for (const GoodputSample& sample : samples) shares.push_back(share_of(sample[GoodputUse::effective], plan));
  return spread_of(std::move(shares));
}

/// Around the best of the closed form, and the plan's own.
std::vector<SimTime> intervals_to_try(const GoodputPlan& plan, double best_s) {
  const SimTime longest = plan.whole_steps(plan.period);
  std::vector<SimTime> all{plan.whole_steps(plan.checkpoint->every)};
  for (int i = -tried_per_doubling * doublings; i <= tried_per_doubling * doublings; ++i) {
    const double every = best_s * 1e12 * std::exp2(static_cast<double>(i) / tried_per_doubling);
    const auto most = static_cast<double>(longest.count());
    all.push_back(plan.whole_steps(SimTime{static_cast<std::int64_t>(std::min(every, most))}));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void try_intervals(GoodputResult& result) {
  const GoodputPlan& plan = result.plan;
  const GoodputClosedForms closed(plan);
  const auto [best_s, best_share] = closed.best();
  const SimTime own = plan.whole_steps(plan.checkpoint->every);
  const double own_s = static_cast<double>(own.count()) * 1e-12;
  result.closed = {closed.rsc(own_s), closed.renewal(own_s), closed.young_s(), best_s, best_share};
  for (const SimTime every : intervals_to_try(plan, best_s)) {
    GoodputPlan other = plan;
    other.checkpoint->every = every;
    const Spread effective =
        every == own ? result.share(GoodputUse::effective) : effective_share(play_all(other), other);
    const double every_s = static_cast<double>(every.count()) * 1e-12;
    result.intervals.push_back({every, effective, closed.renewal(every_s)});
  }
  const auto best = std::max_element(
      result.intervals.begin(), result.intervals.end(),
      [](const IntervalResult& a, const IntervalResult& b) { return a.effective.mean < b.effective.mean; });
  result.best = static_cast<std::size_t>(best - result.intervals.begin());
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  LIGHTRAIL_EXPECT(!values.empty());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  std::sort(values.begin(), values.end());
  const auto percentile = [&](std::size_t per_cent) {
    return values[std::max<std::size_t>(1, (values.size() * per_cent + 99) / 100) - 1];
  };
  return {sum / static_cast<double>(values.size()), percentile(5), percentile(50), percentile(95)};
}

GoodputResult play_goodput(const GoodputPlan& plan) {
  GoodputResult result;
  result.plan = plan;
  result.samples = play_all(plan);
  std::vector<double> failures;
  result.failures_by_category.resize(plan.categories.size());
  std::int64_t attempted = 0, committed = 0;
  for (const GoodputSample& sample : result.samples) {
    double all = 0;
    for (std::size_t c = 0; c < sample.failures.size(); ++c) {
      all += sample.failures[c];
      result.failures_by_category[c] += static_cast<double>(sample.failures[c]) / plan.runs;
    }
    failures.push_back(all);
    result.lost_groups += static_cast<double>(sample.lost_groups) / plan.runs;
    attempted += sample.attempted_steps, committed += sample.committed_steps;
  }
  result.failures = spread_of(std::move(failures));
  if (attempted > 0) result.committed_share = static_cast<double>(committed) / static_cast<double>(attempted);
  for (std::size_t use = 0; use < goodput_uses; ++use) {
    std::vector<double> shares;
    for (const GoodputSample& sample : result.samples) shares.push_back(share_of(sample.time[use], plan));
    result.shares[use] = spread_of(std::move(shares));
  }
  if (plan.checkpoint) try_intervals(result);
  return result;
}

}  // namespace lightrail

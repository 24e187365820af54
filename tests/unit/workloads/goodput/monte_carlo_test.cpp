#include "workloads/goodput/monte_carlo.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/unit/workloads/goodput/small_job.hpp"
#include "workloads/goodput/closed_forms.hpp"

using namespace lightrail;

namespace {

double effective(const GoodputPlan& plan) {
  return play_goodput(plan).share(GoodputUse::effective).mean;
}

}  // namespace

TEST_CASE("mean and percentiles by nearest rank") {
  const Spread spread = spread_of({4, 1, 3, 2});
  CHECK(spread.mean == 2.5);
  CHECK(spread.p5 == 1);
  CHECK(spread.p50 == 2);
  CHECK(spread.p95 == 4);
  CHECK(spread_of({7}).p95 == 7);
}

TEST_CASE("played runs meet the equation of the RSC paper within 1 % where failures are rare") {
  // 128 nodes of RSC-1 (1,024 GPUs), 5 min every 60 min, 10 min to restart.
  const GoodputPlan plan = small_job(128 * 6.5e-3, 60 * one_minute, 5 * one_minute);
  const double expected = (1 - 128 * 6.5e-3 * (10 + 30) / 1440) / (1 + 5.0 / 60);
  CHECK(effective(plan) == Approx(expected).epsilon(0.01));
}

TEST_CASE("played runs meet the exact form within 0.5 % at any rate, where the equation is 5 % off") {
  // 2,048 nodes of RSC-1 (16,384 GPUs): a failure each 1.8 h.
  const GoodputPlan plan = small_job(2048 * 6.5e-3, 60 * one_minute, 0 * one_minute);
  const GoodputResult result = play_goodput(plan);
  const double played = result.share(GoodputUse::effective).mean;
  CHECK(played == Approx(result.closed->renewal).epsilon(0.005));
  CHECK(played / result.closed->rsc > 1.05);
  for (const IntervalResult& interval : result.intervals)
    CHECK(interval.effective.mean == Approx(interval.closed_form).epsilon(0.01).margin(0.003));
}

TEST_CASE("played runs meet the exact form with background writes, slow training and waits for writes") {
  for (const double speed : {1.0, 0.45})
    for (const SimTime write : {3 * one_minute, 15 * one_minute}) {
      GoodputPlan plan = small_job(10, 10 * one_minute, 20 * one_second);
      plan.checkpoint->write = write;
      plan.checkpoint->speed_while_saving = speed;
      CHECK(effective(plan) == Approx(GoodputClosedForms(plan).renewal(600)).epsilon(0.01));
    }
}

TEST_CASE("the best interval that is played lies near sqrt(2 blocking / rate)") {
  const GoodputPlan plan = small_job(8, 10 * one_minute, one_minute);
  const GoodputResult result = play_goodput(plan);
  const double young_s = std::sqrt(2 * 60.0 / (8.0 / 86'400));
  REQUIRE(result.best);
  const IntervalResult& best = result.intervals[*result.best];
  // The maximum is flat: a factor of 1.4 from it costs half a point.
  CHECK(static_cast<double>(best.every.count()) * 1e-12 / young_s == Approx(1).margin(0.42));
  CHECK(result.closed->young_s == Approx(young_s));
  CHECK(best.effective.mean == Approx(result.closed->best_effective).margin(0.005));
  CHECK(best.effective.mean >= result.share(GoodputUse::effective).mean);
}

TEST_CASE("counts of failures have the mean and spread of Poisson's") {
  // 8 a day for 30 days: 240 +- 15.5, 5 % below 215.
  const GoodputResult result = play_goodput(small_job(8, 10 * one_minute, {}));
  CHECK(result.failures.mean == Approx(240).epsilon(0.01));
  CHECK(result.failures.p5 == Approx(240 - 1.645 * 15.5).epsilon(0.03));
  CHECK(result.failures.p95 == Approx(240 + 1.645 * 15.5).epsilon(0.03));
  CHECK(result.failures_by_category[0] == Approx(result.failures.mean));
}

TEST_CASE("shares add up to one, and another seed gives other runs of the same mean") {
  GoodputPlan plan = small_job(8, 10 * one_minute, one_minute);
  const GoodputResult result = play_goodput(plan);
  double sum = 0;
  for (const Spread& share : result.shares) sum += share.mean;
  CHECK(sum == Approx(1));
  CHECK(effective(plan) == result.share(GoodputUse::effective).mean);
  plan.seed = 2;
  CHECK(effective(plan) != result.share(GoodputUse::effective).mean);
  CHECK(effective(plan) == Approx(result.share(GoodputUse::effective).mean).margin(0.003));
}

TEST_CASE("replicas have no intervals; the share of their steps that counted is that of all runs") {
  GoodputPlan plan = small_job(100, one_minute, {});
  plan.runs = 10;
  plan.checkpoint.reset();
  plan.replicas = ReplicaPlan{4, 5 * one_second, milliseconds(100)};
  const GoodputResult result = play_goodput(plan);
  CHECK(result.intervals.empty());
  CHECK_FALSE(result.best);
  CHECK_FALSE(result.closed);
  CHECK(result.committed_share == Approx(std::exp(-100.0 / 86'400)).margin(0.001));
}

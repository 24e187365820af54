#include "workloads/goodput/goodput_plan.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/workloads/goodput/small_job.hpp"

using namespace lightrail;

TEST_CASE("a restart takes all its stages, a replacement where the server has to go") {
  GoodputPlan plan = small_job(1, one_minute, {});
  plan.restart.replacement = 2 * one_minute;
  CHECK(plan.restart_time(plan.categories[0]) == 10 * one_minute);
  plan.categories[0].replaces_server = true;
  CHECK(plan.restart_time(plan.categories[0]) == 12 * one_minute);
}

TEST_CASE("the mean restart weighs categories by how often they come") {
  GoodputPlan plan = small_job(3, one_minute, {});
  plan.categories.push_back({"silent", 1, 14 * one_minute, false});
  CHECK(plan.failures_per_day() == 4);
  CHECK(plan.mean_restart_s() == Approx((3 * 10 + 1 * 20) / 4.0 * 60));
  plan.categories.clear();
  CHECK(plan.mean_restart_s() == 0);
}

TEST_CASE("an interval is rounded to whole steps, at least one") {
  GoodputPlan plan = small_job(1, one_minute, {});
  plan.step = 7 * one_second;
  CHECK(plan.whole_steps(one_minute) == 63 * one_second);
  CHECK(plan.whole_steps(59 * one_second) == 56 * one_second);
  CHECK(plan.whole_steps(one_second) == 7 * one_second);
}

#include "workloads/goodput/closed_forms.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "tests/unit/workloads/goodput/small_job.hpp"

using namespace lightrail;

TEST_CASE("the equation of the RSC paper: 12,000 GPUs, non-blocking, every 5 min, gives its 0.93") {
  // 1,500 nodes x 6.50e-3 a day = 9.75 a day; 1 - 9.75 (7.84 + 2.5) min / 1440 min = 0.93.
  GoodputPlan plan = small_job(9.75, 5 * one_minute, {});
  plan.categories[0].detection = SimTime{};
  plan.restart = {};
  plan.restart.load = 7 * one_minute + 50 * one_second;
  CHECK(GoodputClosedForms(plan).rsc(300) == Approx(0.93).margin(0.0005));
}

TEST_CASE("the exact form is Daly's for a synchronous checkpoint, and the RSC equation to first order") {
  const GoodputPlan plan = small_job(1, 60 * one_minute, 5 * one_minute);
  const GoodputClosedForms closed(plan);
  const double q = 1.0 / 86'400, restart = 600, every = 3600, blocking = 300;
  CHECK(closed.renewal(every) ==
        Approx(q * every * std::exp(-q * restart) / std::expm1(q * (every + blocking))));
  CHECK(closed.renewal(every) == Approx(closed.rsc(every)).epsilon(0.005));
}

TEST_CASE("where failures are frequent the RSC equation gives too little: second order is missing") {
  // 16,384 GPUs of RSC-1, 13.3 a day, an hour between checkpoints: 1 - 13.3 x 40/1440 = 0.63.
  const GoodputClosedForms closed(small_job(13.312, 60 * one_minute, {}));
  CHECK(closed.rsc(3600) == Approx(1 - 13.312 * 40 / 1440));
  CHECK(closed.renewal(3600) / closed.rsc(3600) > 1.05);
  CHECK(GoodputClosedForms(small_job(40, 60 * one_minute, {})).rsc(3600) == 0);
  CHECK(GoodputClosedForms(small_job(40, 60 * one_minute, {})).renewal(3600) > 0.2);
}

TEST_CASE("without failures what blocks is lost, and no interval is too long") {
  const GoodputClosedForms closed(small_job(0, 55 * one_minute, 5 * one_minute));
  CHECK(closed.renewal(3300) == Approx(55.0 / 60));
  CHECK(closed.rsc(3300) == Approx(55.0 / 60));
  CHECK(closed.young_s() == std::numeric_limits<double>::infinity());
}

TEST_CASE("the best interval is near Young's where it is short beside the time between failures") {
  // sqrt(2 x 60 s / (1 / 86,400 s)) = 3,220 s; the exact one is shorter by about blocking / 3.
  const GoodputClosedForms closed(small_job(1, one_minute, one_minute));
  CHECK(closed.young_s() == Approx(3220).epsilon(0.001));
  const auto [every, share] = closed.best();
  CHECK(every == Approx(closed.young_s()).epsilon(0.02));
  CHECK(share >= closed.renewal(closed.young_s()));
  CHECK(share > closed.renewal(every * 1.1));
  CHECK(share > closed.renewal(every / 1.1));
}

TEST_CASE("what blocks nothing is best done at every step") {
  const auto [every, share] = GoodputClosedForms(small_job(1, one_minute, {})).best();
  CHECK(every == Approx(1).epsilon(0.001));
}

TEST_CASE("copies survive: Gemini's 93.3 and 80 % of two and three failures among 16 servers in pairs") {
  // 1 - 8 pairs / C(16, 2); of three 1 - 8 x 14 / C(16, 3).
  CHECK(copies_survive(16, 2, 1) == 1);
  CHECK(copies_survive(16, 2, 2) == Approx(1 - 8.0 / 120));
  CHECK(copies_survive(16, 2, 3) == Approx(1 - 8.0 * 14 / 560));
  CHECK(copies_survive(16, 4, 3) == 1);
}

TEST_CASE("copies survive: one server of each group may fail, in as many ways as it has servers") {
  CHECK(copies_survive(6, 2, 3) == Approx(8.0 / 20));  // 2^3 of C(6, 3)
  CHECK(copies_survive(6, 2, 4) == Approx(0).margin(1e-9));
  CHECK(copies_survive(9, 3, 6) == Approx(27.0 / 84));  // all but one of each group: 3^3 of C(9, 6)
}

#include "workloads/goodput/training_run.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "tests/unit/workloads/goodput/small_job.hpp"
#include "workloads/goodput/closed_forms.hpp"
#include "workloads/goodput/failure_stream.hpp"

using namespace lightrail;

namespace {

SimTime all_time(const GoodputSample& sample) {
  return std::accumulate(sample.time.begin(), sample.time.end(), SimTime{});
}

/// That many runs together; SimTime would hold only some of them.
struct Sum {
  double failures = 0;
  std::array<double, goodput_uses> minutes{};
  [[nodiscard]] double operator[](GoodputUse use) const { return minutes[static_cast<std::size_t>(use)]; }
};

Sum sum_of(const GoodputPlan& plan, std::uint32_t runs) {
  Sum sum;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const GoodputSample sample = play_training(plan, run);
    for (std::size_t use = 0; use < goodput_uses; ++use)
      sum.minutes[use] += static_cast<double>(sample.time[use].count()) / 6e13;
    for (const std::uint32_t count : sample.failures) sum.failures += count;
  }
  return sum;
}

}  // namespace

TEST_CASE("without failures what is not effective is blocked: 1 / (1 + blocking / every) of the time") {
  GoodputPlan plan = small_job(0, 55 * one_minute, 5 * one_minute);  // 720 segments of an hour
  const GoodputSample sample = play_training(plan, 0);
  CHECK(sample[GoodputUse::effective] / 55 == plan.period / 60);
  CHECK(sample[GoodputUse::checkpoint] / 5 == plan.period / 60);
  CHECK(all_time(sample) == plan.period);
}

TEST_CASE("every moment of a run is counted once, whatever happens") {
  for (const double per_day : {0.1, 10.0, 1000.0}) {
    GoodputPlan plan = small_job(per_day, 20 * one_minute, one_minute);
    plan.checkpoint->write = 7 * one_minute;
    plan.checkpoint->speed_while_saving = 0.7;
    plan.restart.replacement = one_minute;
    plan.categories.push_back({"server", per_day, one_minute, true});
    plan.spares = SparesPlan{1, one_day / 2};
    for (std::uint32_t run = 0; run < 20; ++run) {
      const GoodputSample sample = play_training(plan, run);
      CHECK(all_time(sample) == plan.period);
      for (const SimTime time : sample.time) CHECK(time >= SimTime{});
    }
  }
}

TEST_CASE("with ever more failures nothing counts any more") {
  // One each 14.4 s, a restart of 10 min: it would take e^41 tries.
  const GoodputSample sample = play_training(small_job(6000, 20 * one_minute, one_minute), 0);
  CHECK(sample[GoodputUse::effective] == SimTime{});
  CHECK(sample.failures[0] > 150'000);
}

TEST_CASE("a background write that blocks nothing costs what failures lose, and no stall") {
  GoodputPlan plan = small_job(8, 10 * one_minute, {});
  plan.checkpoint->write = 4 * one_minute;
  const Sum sum = sum_of(plan, 200);
  CHECK(sum[GoodputUse::checkpoint] == 0);
  // Lost at a failure that training meets, of X since the restore: X less 10 min for each n >= 1 with
  // 10 n + 4 <= X. E[X] = 1/q less 10 min x E[n] = exp(-4 q) / (exp(10 q) - 1), q = 1/180 min: 8.80 min,
  // which is half an interval and the write, as 10 min / 2 + 4 = 9, to first order.
  const double q = 8.0 / 1440, lost = 1 / q - 10 * std::exp(-4 * q) / std::expm1(10 * q);
  const double met = sum.failures * std::exp(-10 * q);  // the others come during a restart
  CHECK(lost == Approx(9).epsilon(0.03));
  CHECK(sum[GoodputUse::lost] / met == Approx(lost).epsilon(0.02));
}

TEST_CASE("the stages of a restart take their times after each failure that no other one interrupts") {
  GoodputPlan plan = small_job(0.01, one_minute, {});
  plan.period = 100 * one_day;
  const Sum sum = sum_of(plan, 300);
  REQUIRE(sum.failures > 100);
  const auto minutes_each = [&](GoodputUse use) { return sum[use] / sum.failures; };
  CHECK(minutes_each(GoodputUse::detection) == Approx(4).epsilon(0.02));
  CHECK(minutes_each(GoodputUse::rendezvous) == Approx(1).epsilon(0.02));
  CHECK(minutes_each(GoodputUse::initialisation) == Approx(1).epsilon(0.02));
  CHECK(minutes_each(GoodputUse::load) == Approx(3).epsilon(0.02));
  CHECK(minutes_each(GoodputUse::warm_up) == Approx(1).epsilon(0.02));
  CHECK(sum[GoodputUse::replacement] == 0);
}

TEST_CASE("without spares a job waits for the repair of each server that fails") {
  GoodputPlan plan = small_job(0.1, one_minute, {});
  plan.period = 100 * one_day;
  plan.categories[0].replaces_server = true;
  plan.spares = SparesPlan{0, one_day};
  const Sum sum = sum_of(plan, 100);
  // It stands still while any repair goes on, of as many at once as there are (M/D/infinity): 1 - exp(-0.1)
  // of the time, at 0.1 failures a day. The detection is a part of the first wait.
  const double days = (sum[GoodputUse::replacement] + sum[GoodputUse::detection]) / 1440 / sum.failures;
  CHECK(days == Approx((1 - std::exp(-0.1)) / 0.1).epsilon(0.02));
  plan.spares = SparesPlan{20, one_day};
  CHECK(sum_of(plan, 100)[GoodputUse::replacement] == 0);
}

TEST_CASE("a job that saves nothing loses all at every failure") {
  GoodputPlan plan = small_job(0.05, one_minute, {});
  plan.checkpoint.reset();
  const GoodputSample sample = play_training(plan, 1);
  FailureStream failures(plan, 1);
  SimTime last{};
  for (; failures.at() < plan.period; failures.advance()) last = failures.at();
  REQUIRE(last > SimTime{});
  CHECK(sample[GoodputUse::effective] == plan.period - last - 10 * one_minute);
}

TEST_CASE("a run is a function of plan and number") {
  const GoodputPlan plan = small_job(10, 20 * one_minute, one_minute);
  CHECK(play_training(plan, 5).time == play_training(plan, 5).time);
  CHECK(play_training(plan, 5).time != play_training(plan, 6).time);
}

TEST_CASE("memory loses a group as often as the closed form has it when servers fail at once") {
  GoodputPlan plan = small_job(2, 10 * one_minute, {});
  plan.categories[0].replaces_server = true;
  plan.categories[0].servers = 3;
  plan.memory = MemoryCopies{16, 2, 1, {}, one_second};
  double lost = 0, failures = 0;
  for (std::uint32_t run = 0; run < 200; ++run) {
    const GoodputSample sample = play_training(plan, run);
    CHECK(all_time(sample) == plan.period);
    lost += sample.lost_groups, failures += sample.failures[0];
  }
  // Failures that come before another checkpoint is complete, 20 min of 12 h, find memory lost already or
  // lose it more easily.
  CHECK(lost / failures == Approx(1 - copies_survive(16, 2, 3)).epsilon(0.05));
}

TEST_CASE("a group that is lost costs what storage does not have, and the longer load") {
  GoodputPlan plan = small_job(0.2, 10 * one_minute, {});
  plan.period = 100 * one_day;
  plan.categories[0].replaces_server = true;
  plan.categories[0].servers = 2;
  plan.memory = MemoryCopies{2, 2, 30, {}, one_second};  // every failure loses the only group
  const Sum lost = sum_of(plan, 200);
  plan.memory->servers = 200'000;  // none does
  const Sum kept = sum_of(plan, 200);
  CHECK(lost.failures == kept.failures);
  CHECK(lost[GoodputUse::load] / lost.failures == Approx(3).epsilon(0.02));
  CHECK(kept[GoodputUse::load] / kept.failures == Approx(1.0 / 60).epsilon(0.02));
  // Half of 10 min of each failure; of 300 min, half of them on average.
  CHECK(kept[GoodputUse::lost] / kept.failures == Approx(5).epsilon(0.05));
  CHECK(lost[GoodputUse::lost] / lost.failures == Approx(150).epsilon(0.05));
}

#include "workloads/goodput/replica_run.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <numeric>

#include "tests/unit/workloads/goodput/small_job.hpp"

using namespace lightrail;

namespace {

/// TorchFT on 300 L40S: 30 groups of 10 GPUs, a kill each 60 s, steps of about 11 s.
GoodputPlan torchft() {
  GoodputPlan plan;
  plan.gpus = 300;
  plan.step = 11 * one_second;
  plan.period = one_day;
  plan.categories = {{"kill", 1440, {}, false}};
  plan.restart = {{}, 30 * one_second, {}, 10 * one_second, {}};
  plan.replicas = ReplicaPlan{30, 5 * one_second, milliseconds(100)};
  return plan;
}

double committed_share(const GoodputPlan& plan, std::uint32_t runs) {
  std::int64_t attempted = 0, committed = 0;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const GoodputSample sample = play_replicas(plan, run);
    attempted += sample.attempted_steps, committed += sample.committed_steps;
  }
  return static_cast<double>(committed) / static_cast<double>(attempted);
}

}  // namespace

TEST_CASE("of TorchFT's steps those count in which no group is killed: exp(-step / 60 s), published 82.3 %") {
  // A kill of a group that is away already, about 40 of 60 s x 1/30, costs no step: 40/60/30 of 0.167.
  const double share = committed_share(torchft(), 100);
  CHECK(share == Approx(std::exp(-11.0 / 60)).margin(0.006));
  CHECK(share == Approx(0.823).margin(0.03));
}

TEST_CASE("without failures every step counts") {
  GoodputPlan plan = torchft();
  plan.categories[0].per_day = 0;
  const GoodputSample sample = play_replicas(plan, 0);
  CHECK(sample.committed_steps == plan.period / plan.step);
  CHECK(sample.attempted_steps == sample.committed_steps);
  // The first quorum, and the part of a step at the end counts as training does.
  CHECK(sample[GoodputUse::effective] == plan.period - milliseconds(100));
}

TEST_CASE("every moment is counted once, and groups that are away are counted as degraded") {
  const GoodputPlan plan = torchft();
  for (std::uint32_t run = 0; run < 20; ++run) {
    const GoodputSample sample = play_replicas(plan, run);
    CHECK(std::accumulate(sample.time.begin(), sample.time.end(), SimTime{}) == plan.period);
    for (const SimTime time : sample.time) CHECK(time >= SimTime{});
    // In the mean 40/60 of a group is away and waits half a step for the next one.
    const double away =
        static_cast<double>(sample[GoodputUse::degraded].count()) /
        static_cast<double>((sample[GoodputUse::degraded] + sample[GoodputUse::effective]).count());
    CHECK(away == Approx((40 + 5.5) / 60 / 30).epsilon(0.2));
  }
}

TEST_CASE("a job of one group that is killed has lost everything") {
  GoodputPlan plan = torchft();
  plan.replicas->groups = 1;
  plan.categories[0].per_day = 20;
  const GoodputSample sample = play_replicas(plan, 0);
  REQUIRE(sample.failures[0] > 5);
  CHECK(sample[GoodputUse::lost] > plan.period / 3);
  plan.categories[0].per_day = 1e6;
  CHECK(play_replicas(plan, 0)[GoodputUse::effective] == SimTime{});
}

TEST_CASE("a run of replicas is a function of plan and number") {
  CHECK(play_replicas(torchft(), 5).time == play_replicas(torchft(), 5).time);
  CHECK(play_replicas(torchft(), 5).time != play_replicas(torchft(), 6).time);
}

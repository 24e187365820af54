#include "app/plan/estimate.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

using namespace lightrail;

namespace {

const PlanAttributes a_plan = {{"tp", "2"},
                               {"cp", "1"},
                               {"pp", "4"},
                               {"ep", "8"},
                               {"etp", "1"},
                               {"chunks", "2"},
                               {"stage-layers", "even"},
                               {"schedule", "1f1b"},
                               {"shard-parameters", "off"},
                               {"micro-batch", "2"},
                               {"recompute", "full"},
                               {"recompute-modules", "none"}};

PlanAttributes with(PlanAttributes plan, const std::string& name, const std::string& value) {
  for (auto& [key, old] : plan)
    if (key == name) old = value;
  return plan;
}

std::string value_of(const PlanAttributes& plan, const std::string& name) {
  for (const auto& [key, value] : plan)
    if (key == name) return value;
  return "";
}

}  // namespace

TEST_CASE("small jobs give back the times that they are made of") {
  // A step of l layers and m micro-batches: m (7 l + 5) + 3 l + 11.
  Transformer model;
  model.layers = 32, model.dense_layers = 3, model.expert_every = 2;
  const UnitJobs jobs = unit_jobs_of(model);
  CHECK(jobs.layers == std::array<std::int64_t, 2>{5, 7});
  UnitSteps steps{};
  for (std::size_t i : {0u, 1u})
    for (std::size_t j : {0u, 1u})
      steps[i][j] = UnitJobs::micro_batches[j] * (7 * jobs.layers[i] + 5) + 3 * jobs.layers[i] + 11;
  const UnitTimes times = unit_times(jobs, steps);
  CHECK(times.layer == Approx(7));
  CHECK(times.edges == Approx(5));
  CHECK(times.layer_once == Approx(3));
  CHECK(times.once == Approx(11));
}

TEST_CASE("a model in which nothing repeats is run whole") {
  Transformer model;
  model.layers = 4, model.dense_layers = 3;
  const UnitJobs jobs = unit_jobs_of(model);
  CHECK(jobs.layers == std::array<std::int64_t, 2>{4, 4});
  const UnitTimes times = unit_times(jobs, {{{480, 880}, {480, 880}}});
  CHECK(times.layer == Approx(25));
  CHECK(times.edges == Approx(0));
  CHECK(times.layer_once == Approx(20));
  model.layers = 100, model.pattern = "M*E-";
  CHECK(unit_jobs_of(model).layers[0] == 100);
}

TEST_CASE("a step is micro-batches and bubble at the slowest stage's pace, and what comes once") {
  PlanShape shape;
  shape.micro_batches = 10, shape.bubble = 3, shape.most_layers = 4, shape.last_layers = 2;
  UnitTimes times{10, 5, 2, 1};
  CHECK(estimated_step(shape, times) == Approx((10 + 3) * 40 + 4 * 2 + 1));
  times.edges = 30;  // the output layer makes the last stage the slowest
  CHECK(estimated_step(shape, times) == Approx((10 + 3) * 50 + 4 * 2 + 1));
  shape.edges = 0.5;
  CHECK(estimated_step(shape, times) == Approx((10 + 3) * 40 + 4 * 2 + 1));
}

TEST_CASE("a plan's shape has its fullest stage and its schedule's bubble") {
  Transformer model;
  model.layers = 14;
  TrainingPlan plan;
  plan.pp = 4, plan.chunks = 2, plan.dp = 2, plan.global_batch = 16;
  plan.stage_layers = {1, 2, 2, 2, 2, 2, 2, 1};
  const PlanShape shape = shape_of(plan, model);
  CHECK(shape.micro_batches == 8);
  CHECK(shape.bubble == Approx(1.5));
  CHECK(shape.most_layers == 4);
  CHECK(shape.last_layers == Approx(3));
  CHECK(shape.edges == Approx(1));
  plan.chunks = 1, plan.stage_layers = {3, 4, 4, 3}, plan.schedule = Schedule::zb_h1;
  CHECK(shape_of(plan, model).bubble == Approx(1));
  plan.stage_layers = {2, 5, 5, 3}, plan.schedule = Schedule::dualpipe;
  CHECK(shape_of(plan, model).last_layers == Approx(2.5));
  CHECK(shape_of(plan, model).edges == Approx(0.5));
}

TEST_CASE("plans that cut layers alike share their small jobs") {
  CHECK(unit_of(a_plan) == unit_of(with(with(a_plan, "pp", "1"), "chunks", "1")));
  for (const char* name : {"tp", "ep", "micro-batch", "recompute", "shard-parameters"})
    CHECK(unit_of(a_plan) != unit_of(with(a_plan, name, "x")));
  CHECK(unit_of(a_plan) != unit_of(with(a_plan, "schedule", "dualpipe")));
  const PlanAttributes whole = with(a_plan, "ep", "1");
  CHECK(unit_of(whole) == unit_of(with(whole, "schedule", "dualpipe")));

  const PlanAttributes unit = unit_plan(a_plan, 64, 8);
  CHECK(value_of(unit, "pp") == "1");
  CHECK(value_of(unit, "global-batch") == "512");  // 32 replicas of 8 micro-batches of 2
  CHECK(value_of(unit, "overlap-experts").empty());
  CHECK(value_of(unit_plan(with(a_plan, "schedule", "dualpipe"), 64, 8), "overlap-experts") == "on");
}

#include "workloads/generate/training/step_over_plan.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/training_plan.hpp"

using namespace lightrail;

namespace {

struct Case {
  Schedule schedule;
  std::uint32_t pp, chunks;
  std::int64_t micro_batches;
  std::int64_t simulated;
};

TrainingPlan plan_of(const Case& c) {
  TrainingPlan plan;
  plan.pp = c.pp, plan.chunks = c.chunks, plan.schedule = c.schedule, plan.global_batch = c.micro_batches;
  plan.step_over = StepOver::pipeline;
  return plan;
}

/// Forward passes of a chunk, by place in the order.
std::vector<std::size_t> places(const std::vector<ChunkPass>& order, std::uint32_t chunk) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i].is_forward() && order[i].chunk == chunk) all.push_back(i);
  return all;
}

bool is_same_kind(const ChunkPass& a, const ChunkPass& b) {
  return a.kind == b.kind && a.chunk == b.chunk && a.overlaps_next == b.overlaps_next;
}

}  // namespace

TEST_CASE("what is stepped over are whole periods of the order of every stage") {
  const auto c = GENERATE(Case{Schedule::one_f_one_b, 1, 1, 40, 8}, Case{Schedule::one_f_one_b, 4, 1, 64, 11},
                          Case{Schedule::one_f_one_b, 4, 3, 64, 24}, Case{Schedule::zb_h1, 4, 1, 64, 15},
                          Case{Schedule::dualpipe, 4, 1, 64, 14}, Case{Schedule::dualpipe, 16, 1, 120, 38});
  const TrainingPlan plan = plan_of(c);
  TrainingPlan whole = plan;
  whole.step_over = StepOver::none;
  const SteppedPipeline steps = stepped_pipeline(plan);
  CHECK(plan.micro_batches() - steps.skipped * plan.copies() == c.simulated);
  CHECK(steps.skipped % steps.period == 0);
  CHECK((steps.middle - steps.begin == steps.end - steps.middle));
  for (std::uint32_t stage = 0; stage < c.pp; ++stage) {
    CAPTURE(stage);
    const std::vector<ChunkPass> all = whole.passes(stage), left = plan.passes(stage);
    const std::uint32_t chunk = steady_chunk(plan, stage);
    const auto in_all = places(all, chunk), in_left = places(left, chunk);
    const auto begin = static_cast<std::size_t>(steps.begin), end = static_cast<std::size_t>(steps.end),
               on = static_cast<std::size_t>(steps.end + steps.skipped);
    // Until the end of the measured periods and from the end of those left out on, the order is the same.
    for (std::size_t i = 0; i < in_all[end]; ++i) REQUIRE(all[i] == left[i]);
    REQUIRE(all.size() - in_all[on] == left.size() - in_left[end]);
    for (std::size_t i = 0; i < all.size() - in_all[on]; ++i)
      REQUIRE(is_same_kind(all[in_all[on] + i], left[in_left[end] + i]));
    CHECK(left[in_left[end]].micro_batch == steps.end + steps.skipped);
    CHECK(left.back().micro_batch <= whole.chunk_micro_batches());
    // Between them the stage does again and again what it does in a period.
    const std::size_t period = (in_all[end] - in_all[begin]) / steps.periods(steps.end - steps.begin);
    for (std::size_t i = in_all[begin]; i + period < in_all[on]; ++i)
      REQUIRE(is_same_kind(all[i], all[i + period]));
  }
}

TEST_CASE("too few micro-batches are all simulated") {
  TrainingPlan plan = plan_of({Schedule::one_f_one_b, 4, 1, 11, 0});
  CHECK(stepped_pipeline(plan).skipped == 0);
  CHECK(step_over_note(plan) ==
        "step-over=\"pipeline\" finds nothing to leave out of 11 micro-batches (it needs 12); "
        "energy is left out all the same");
  plan.global_batch = 12;
  CHECK(stepped_pipeline(plan).skipped == 1);
  CHECK(step_over_note(plan).starts_with("1 of 12 micro-batches are stepped over: "));
  plan.step_over = StepOver::none;
  CHECK(stepped_pipeline(plan).skipped == 0);
  CHECK(step_over_note(plan).empty());
}

TEST_CASE("a plan may say how many periods settle and how many are measured") {
  TrainingPlan plan = plan_of({Schedule::one_f_one_b, 4, 1, 64, 0});
  plan.settling_periods = 5, plan.measured_periods = 8;
  const SteppedPipeline steps = stepped_pipeline(plan);
  CHECK(steps.begin == 9);
  CHECK(steps.middle == 13);
  CHECK(steps.end == 17);
  CHECK(steps.skipped == 64 - 18);
}

TEST_CASE("programs name the markers between which they measure") {
  const MadeJob made = make_job_of(
      "<workload kind=\"training\" pp=\"2\" step-over=\"pipeline\" sequence=\"32\" "
      "global-batch=\"128\">" +
          small_model("") + "</workload>",
      8);
  REQUIRE(made.errors == std::vector<std::string>{});
  const Job& job = made.job;
  for (const Program& program : job.programs.programs) {
    REQUIRE(program.steps_over());
    const SteppedOver& by = program.stepped_over;
    CHECK(by.measured == 4);
    CHECK(job.names[program.ops[by.begin].name] == "forward 4");
    CHECK(job.names[program.ops[by.middle].name] == "forward 6");
    CHECK(job.names[program.ops[by.end].name] == "forward " + std::to_string(8 + by.skipped));
    for (const std::uint32_t op : {by.begin, by.middle, by.end})
      CHECK(program.ops[op].kind == OpKind::marker);
  }
}

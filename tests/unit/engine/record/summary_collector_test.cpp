#include "engine/record/summary_collector.hpp"

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "components/gpu/tables.hpp"
#include "components/supervisor/tables.hpp"
#include "engine/base/error.hpp"
#include "engine/model/model_notes.hpp"
#include "network/port/pause/tables.hpp"
#include "network/port/tables.hpp"
#include "network/transport/tables.hpp"
#include "tests/unit/engine/record/synthetic_run.hpp"

using namespace lightrail;
using Row2 = std::array<std::int64_t, 2>;
using Row4 = std::array<std::int64_t, 4>;
using Row7 = std::array<std::int64_t, 7>;
using Row8 = std::array<std::int64_t, 8>;
using Row9 = std::array<std::int64_t, 9>;
using Row10 = std::array<std::int64_t, 10>;
using Row14 = std::array<std::int64_t, 14>;

namespace {

Summary reduced(const SummaryCollector& collector, const Model& model) {
  Summary summary;
  collector.reduce(MPI_COMM_SELF, model, summary);
  return summary;
}

SummaryCollector reloaded(const SummaryCollector& collector, const Model& model) {
  SummaryCollector other(model);
  StateWriter state;
  collector.save(state);
  StateReader reader(state.bytes());
  other.load(reader);
  return other;
}

}  // namespace

TEST_CASE("the step lasts from the first start to the last end, and the last iteration is reported") {
  Model model = test::synthetic_model(1);
  SummaryCollector collector(model);
  // gpu, iteration, start, end, compute, exposed, idle; host and attempt 0
  collector.add(tables::steps, Row9{0, 0, 0, 500, 500, 0, 0});
  collector.add(tables::steps, Row9{0, 1, 1000, 1400, 200, 100, 100});
  collector.add(tables::steps, Row9{1, 1, 1100, 1700, 300, 200, 100});
  Summary summary = reduced(collector, model);
  REQUIRE(summary.iterations.size() == 2);
  CHECK(summary.iterations[0].step_ps() == 500);
  const IterationSummary& last = *summary.last_iteration();
  CHECK(last.step_ps() == 700);
  CHECK(last.gpus == 2);
  CHECK(last.fraction(last.compute_ps) == Approx(0.5));
  CHECK(last.fraction(last.exposed_ps) == Approx(0.3));
  CHECK(last.fraction(last.idle_ps) == Approx(0.2));
  CHECK(last.gpu_step_min_ps == 400);
  CHECK(last.gpu_step_max_ps == 600);
  CHECK(last.gpu_compute_min_ps == 200);
  CHECK(last.gpu_compute_max_ps == 300);
}

TEST_CASE("an iteration that no GPU finished is left out") {
  Model model = test::synthetic_model(1);
  SummaryCollector collector(model);
  collector.add(tables::steps, Row9{0, 2, 0, 500, 500, 0, 0});
  Summary summary = reduced(collector, model);
  REQUIRE(summary.iterations.size() == 1);
  CHECK(summary.iterations[0].iteration == 2);
}

TEST_CASE("what the time went into is added over GPUs, by iteration, use, dimension and group") {
  Model model = test::synthetic_model(1);
  SummaryCollector collector(model);
  // gpu, iteration, use (0: compute, 1: communication, 2: bubble), dimension, group, time [ps]
  collector.add(tables::exposed, Row7{0, 0, 1, 0, 0, 30});
  collector.add(tables::exposed, Row7{0, 0, 0, -1, -1, 70});
  collector.add(tables::exposed, Row7{1, 0, 0, -1, -1, 60});
  collector.add(tables::exposed, Row7{1, 0, 1, 1, 0, 25});
  collector.add(tables::exposed, Row7{1, 0, 1, 0, 0, 15});
  collector.add(tables::exposed, Row7{0, 1, 2, 1, -1, 5});
  SummaryCollector other = reloaded(collector, model);
  for (const SummaryCollector* one : {&collector, &other}) {
    const Summary summary = reduced(*one, model);
    std::vector<std::string> found;
    for (const ExposedSummary& e : summary.exposed)
      found.push_back(std::to_string(e.iteration) + " " + e.label() + " " + std::to_string(e.time_ps));
    CHECK(found == std::vector<std::string>{"0 compute 130", "0 tp 45", "0 dp (tp) 25", "1 dp bubble 5"});
    const auto json = nlohmann::json::parse(to_json(summary));
    CHECK(json["exposed"][2] == nlohmann::json({{"iteration", 0},
                                                {"use", "communication"},
                                                {"dimension", "dp"},
                                                {"group", "tp"},
                                                {"time_ps", 25}}));
  }
}

TEST_CASE("iterations, and what their time went into, are those of each of several jobs") {
  const Model one_job = test::synthetic_model(1);
  auto notes = std::make_shared<ModelNotes>(*one_job.resource<ModelNotes>());
  notes->jobs = {"a", "b"};
  notes->job_of_gpu = {1, 0, 1};
  Model model;
  model.tables = one_job.tables, model.dimensions = one_job.dimensions;
  model.add<ModelNotes>(std::move(notes));
  SummaryCollector collector(model);
  // gpu, iteration, start, end, compute, exposed, idle; host and attempt 0
  collector.add(tables::steps, Row9{0, 0, 100, 500, 400, 0, 0});
  collector.add(tables::steps, Row9{1, 0, 0, 50, 50, 0, 0});
  collector.add(tables::steps, Row9{2, 0, 120, 540, 420, 0, 0});
  collector.add(tables::steps, Row9{1, 1, 50, 120, 70, 0, 0});
  collector.add(tables::exposed, Row7{0, 0, 0, -1, -1, 400});
  collector.add(tables::exposed, Row7{1, 0, 0, -1, -1, 50});
  SummaryCollector other = reloaded(collector, model);
  for (const SummaryCollector* one : {&collector, &other}) {
    const Summary summary = reduced(*one, model);
    CHECK(summary.last_iteration() == nullptr);
    REQUIRE(summary.iterations.size() == 3);
    CHECK(summary.iterations[1].job == "a");
    CHECK(summary.iterations[1].iteration == 1);
    CHECK(summary.iterations[2].gpus == 2);
    const std::vector<JobSummary> jobs = summary.jobs();
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[0].iterations == 2);
    CHECK(jobs[0].step_ps == 70);
    CHECK(jobs[0].mean_step_ps == 60);
    CHECK(jobs[1].t_start_ps == 100);
    CHECK(jobs[1].t_end_ps == 540);
    CHECK(jobs[1].step_ps == 440);
    REQUIRE(summary.last_iterations().size() == 2);
    CHECK(summary.last_iterations()[0]->step_ps() == 70);
    REQUIRE(summary.exposed.size() == 2);
    CHECK(summary.exposed[0].job == "a");
    CHECK(summary.exposed[1].time_ps == 400);
    const auto json = nlohmann::json::parse(to_json(summary));
    CHECK(json["step_time_ps"].is_null());
    CHECK(json["jobs"]["b"]["step_time_ps"] == 440);
    CHECK(json["iterations"][2]["job"] == "b");
  }
}

TEST_CASE("the traffic of a job is that of its dimensions") {
  Summary summary;
  summary.iterations = {{.t_end_ps = 5, .job = "a"}, {.t_end_ps = 5, .job = "ab"}};
  summary.dimensions = {{"a.tp", 3, 1}, {"ab.tp", 40, 1}, {"a.dp", 500, 1}};
  CHECK(summary.jobs().at(0).size_bytes == 503);
  CHECK(summary.jobs().at(1).size_bytes == 40);
}

TEST_CASE("of iterations that were done again the last time counts, and restarts say what they cost") {
  const Model model = test::synthetic_model(1);
  SummaryCollector collector(model);
  CHECK(reduced(collector, model).restarts.empty());
  // gpu, iteration, start, end, compute, exposed, idle, host, attempt
  collector.add(tables::steps, Row9{0, 0, 0, 100, 90, 10, 0, 0, 0});
  collector.add(tables::steps, Row9{0, 1, 100, 210, 90, 20, 0, 0, 0});
  collector.add(tables::steps, Row9{2, 1, 600, 720, 100, 20, 0, 0, 1});
  collector.add(tables::steps, Row9{2, 2, 720, 800, 70, 10, 0, 0, 1});
  // gpu, iteration, use, dimension, group, time, attempt
  collector.add(tables::exposed, Row7{0, 1, 0, -1, -1, 110, 0});
  collector.add(tables::exposed, Row7{2, 1, 0, -1, -1, 100, 1});
  collector.add(tables::exposed, Row7{2, 1, 1, 0, 0, 20, 1});
  // job, attempt, cause (0: gpu), failed, servers, server, spare, times, reached, iteration
  collector.add(tables::restarts, Row14{0, 1, 0, 2, 1, 0, 2, 250, 300, 400, 550, 600, 2, 1});
  SummaryCollector other = reloaded(collector, model);
  for (const SummaryCollector* one : {&collector, &other}) {
    const Summary summary = reduced(*one, model);
    REQUIRE(summary.iterations.size() == 3);
    CHECK(summary.iterations[1].step_ps() == 120);
    REQUIRE(summary.exposed.size() == 2);
    CHECK(summary.exposed[0].time_ps == 100);
    CHECK(summary.exposed[1].label() == "tp");
    REQUIRE(summary.restarts.size() == 1);
    const RestartSummary& all = summary.restarts[0];
    CHECK(all.restarts == 1);
    CHECK(all.cause == "gpu");
    CHECK(all.failed == model.component_name(ComponentId{2}));
    CHECK(all.detection_ps == 50);
    CHECK(all.waiting_ps == 100);
    CHECK(all.load_ps == 150);
    CHECK(all.warm_up_ps == 50);
    CHECK(all.lost_iterations == 2);
    CHECK(all.effective_ps == 100 + 120 + 80);
    CHECK(all.time_ps == 800);
    CHECK(all.effective() == Approx(0.375));
    const auto json = nlohmann::json::parse(to_json(summary))["restarts"]["job"];
    CHECK(json["lost_iterations"] == 2);
    CHECK(json["t_failed_ps"] == 250);
  }
}

TEST_CASE("storms are counted, and the first one is told by name") {
  const Model model = test::synthetic_model(1);
  SummaryCollector collector(model);
  CHECK_FALSE(reduced(collector, model).storms);
  CHECK(nlohmann::json::parse(to_json(reduced(collector, model)))["storms"].is_null());
  // port, lane, start, duration [ps], has_ended, discarded, bytes
  collector.add(tables::storms, Row7{1, 0, 500, 200, 1, 3, 3000}, ComponentId{2});
  collector.add(tables::storms, Row7{4, 1, 300, 900, 0, 2, 500}, ComponentId{1});
  SummaryCollector other = reloaded(collector, model);
  for (const SummaryCollector* one : {&collector, &other}) {
    const auto storms = reduced(*one, model).storms;
    REQUIRE(storms);
    CHECK(storms->storms == 2);
    CHECK(storms->longest_ps == 900);
    CHECK(storms->discarded == 5);
    CHECK(storms->discarded_bytes == 3500);
    CHECK(storms->component == model.component_name(ComponentId{1}));
    CHECK(storms->port == 4);
    CHECK(storms->lane == 1);
    CHECK(storms->t_start_ps == 300);
  }
  const auto json = nlohmann::json::parse(to_json(reduced(collector, model)));
  CHECK(json["storms"]["storms"] == 2);
  CHECK(json["storms"]["component"] == model.component_name(ComponentId{1}));
}

TEST_CASE("what became of collectives that might be recalled is added up") {
  const Model model = test::synthetic_model(1);
  SummaryCollector collector(model);
  CHECK(reduced(collector, model).recalled.empty());
  // outcome, collectives
  collector.add(tables::recalled, Row2{0, 30});
  collector.add(tables::recalled, Row2{0, 12});
  collector.add(tables::recalled, Row2{3, 5});
  SummaryCollector other = reloaded(collector, model);
  for (const SummaryCollector* one : {&collector, &other}) {
    const auto recalled = reduced(*one, model).recalled;
    REQUIRE(recalled.size() == 2);
    CHECK((recalled[0].outcome == "recalled" && recalled[0].collectives == 42));
    CHECK((recalled[1].outcome == "apart" && recalled[1].collectives == 5));
  }
  const auto json = nlohmann::json::parse(to_json(reduced(collector, model)));
  CHECK(json["recalled"] == nlohmann::json{{"recalled", 42}, {"apart", 5}});
}

TEST_CASE("how alike the periods are that stand for others is told of all GPUs") {
  const Model model = test::synthetic_model(1);
  SummaryCollector collector(model);
  CHECK_FALSE(reduced(collector, model).stepped_over);
  // gpu, iteration, begin, middle, end [ps], measured, skipped, added [ps], what, difference [ps]
  collector.add(tables::stepped_over, Row10{0, 0, 100, 296, 496, 4, 10, 1000, 0, 3});
  collector.add(tables::stepped_over, Row10{1, 0, 150, 346, 544, 4, 10, 1000, 0, 7});
  collector.add(tables::stepped_over, Row10{0, 1, 1000, 2000, 3000, 2, 96, 96'000, 1, 0});
  collector.add(tables::stepped_over, Row10{1, 1, 1010, 2010, 3010, 2, 96, 96'000, 1, 0});
  SummaryCollector other = reloaded(collector, model);
  for (const SummaryCollector* one : {&collector, &other}) {
    const auto stepped = reduced(*one, model).stepped_over;
    REQUIRE(stepped);
    CHECK(stepped->measured == 4);
    CHECK(stepped->skipped == 10);
    CHECK(stepped->period_ps == 100);
    CHECK(stepped->shortest_period_ps == 99);
    CHECK(stepped->spread() == Approx(0.01));
    CHECK(stepped->drift() == Approx(200.0 / 196 - 1));
    CHECK_FALSE(stepped->is_steady());
    CHECK(stepped->difference_ps == 7);
    const auto iterations = reduced(*one, model).stepped_iterations;
    REQUIRE(iterations);
    CHECK(iterations->skipped == 96);
    CHECK(iterations->period_ps == 1000);
    CHECK(iterations->is_equal());
  }
  const auto json = nlohmann::json::parse(to_json(reduced(collector, model)));
  CHECK(json["stepped_over"]["skipped"] == 10);
  CHECK(json["stepped_over"]["is_steady"] == false);
  CHECK(json["stepped_iterations"]["skipped"] == 96);
  CHECK(json["stepped_iterations"]["difference_ps"] == 0);
  collector.add(tables::stepped_over, Row10{2, 1, 1010, 2010, 3010, 2, 96, 96'000, 1, 1});
  CHECK_FALSE(reduced(collector, model).stepped_iterations->is_equal());
}

TEST_CASE("bytes and messages are added by parallel dimension") {
  Model model = test::synthetic_model(1);
  SummaryCollector collector(model);
  collector.add(tables::traffic, Row4{0, 0, 100, 1});
  collector.add(tables::traffic, Row4{1, 0, 50, 2});
  collector.add(tables::traffic, Row4{1, 1, 7, 3});
  Summary summary = reduced(collector, model);
  REQUIRE(summary.dimensions.size() == 2);
  CHECK(summary.dimensions[0].name == "tp");
  CHECK(summary.dimensions[0].size_bytes == 150);
  CHECK(summary.dimensions[0].messages == 3);
  CHECK(summary.dimensions[1].size_bytes == 7);
}

TEST_CASE("a dimension that the model lacks is our bug") {
  SummaryCollector collector(test::synthetic_model(1));
  CHECK_THROWS_AS(collector.add(tables::traffic, Row4{0, 2, 1, 1}), ContractError);
  CHECK_THROWS_AS(collector.add(tables::traffic, Row4{0, -1, 1, 1}), ContractError);
}

TEST_CASE("collectives are summed up by type, group and size with nccl-tests' bandwidths") {
  Model model = test::synthetic_model(1);
  SummaryCollector collector(model);
  // gpu, group, collective (1: all_reduce, 5: all_to_all), algorithm, protocol, bytes, start, end [ps]
  for (std::int64_t duration : {1'000'000, 4'000'000, 2'000'000})
    collector.add(tables::collectives, Row8{0, 0, 1, 1, 3, 8'000'000, 5, 5 + duration});
  collector.add(tables::collectives, Row8{0, 0, 1, 1, 3, 16'000'000, 0, 9'000'000});
  collector.add(tables::collectives, Row8{0, 0, 5, 1, 3, 8'000'000, 0, 1'000'000});
  Summary summary = reduced(collector, model);
  REQUIRE(summary.collectives.size() == 3);
  const CollectiveSummary& first = summary.collectives[0];
  CHECK(first.collective == "all_reduce");
  CHECK(first.group == "tp");
  CHECK(first.group_size == 8);
  CHECK(first.count == 3);
  CHECK(first.median_ps == 2'000'000);
  CHECK(first.min_ps == 1'000'000);
  CHECK(first.max_ps == 4'000'000);
  CHECK(first.algbw_bytes_per_s == Approx(4e12));          // 8 MB in 2 us
  CHECK(first.busbw_bytes_per_s == Approx(4e12 * 7 / 4));  // times 2 (n - 1) / n
  CHECK(summary.collectives[2].busbw_bytes_per_s == Approx(8e12 * 7 / 8));
  // Of 1, 2, 4 and 9 us: the mean of the two in the middle.
  CHECK(summary.all_reduce_median_ps == 3'000'000);
}

TEST_CASE("energy is added up over components") {
  Model model = test::synthetic_model(1);
  SummaryCollector collector(model);
  CHECK_FALSE(reduced(collector, model).energy_j.has_value());
  for (double picojoules : {1.5e12, 2.5e12})
    collector.add(tables::power, std::array<std::int64_t, 2>{0, std::bit_cast<std::int64_t>(picojoules)});
  CHECK(*reduced(collector, model).energy_j == Approx(4.0));
}

TEST_CASE("energy is told by step, performance by dollar") {
  Summary summary;
  CHECK_FALSE(summary.energy_per_step_j().has_value());
  CHECK_FALSE(summary.steps_per_s_per_musd().has_value());
  summary.energy_j = 12;
  summary.network_cost_usd = 500'000;
  summary.iterations.resize(3);
  summary.iterations[2].t_end_ps = 250'000'000'000;  // four steps a second
  CHECK(*summary.energy_per_step_j() == 4);
  CHECK(*summary.steps_per_s_per_musd() == Approx(8));
}

TEST_CASE("the JSON summary has every key scripts rely on, null where the run has no value") {
  Summary summary;
  summary.status = "stopped";
  summary.hash = "00000000000000ff";
  auto empty = nlohmann::json::parse(to_json(summary));
  for (const char* key : {"status", "hash", "events", "sim_end_ps", "wall_s", "ranks", "step_time_ps",
                          "exposed_communication_fraction", "bytes_by_dimension", "peak_rss_bytes"})
    CHECK(empty.contains(key));
  CHECK(empty["step_time_ps"].is_null());
  CHECK(empty["core_share"].is_null());
  CHECK(empty["exposed_communication_fraction"].is_null());
  CHECK(empty["bytes_by_dimension"].is_object());
  CHECK(empty["hash"] == "00000000000000ff");

  summary.dimensions = {{"ep", 12, 3}};
  summary.iterations = {{0, 8, 100, 350, 2000, 1000, 500, 500, 240, 250, 100, 140}};
  summary.cores = {3, 1};
  auto full = nlohmann::json::parse(to_json(summary));
  CHECK(full["step_time_ps"] == 250);
  CHECK(full["core_share"] == 0.75);
  CHECK(full["exposed_communication_fraction"] == 0.25);
  CHECK(full["bytes_by_dimension"]["ep"] == 12);
  CHECK(full["messages_by_dimension"]["ep"] == 3);
  CHECK(full["iterations"][0]["gpu_step_max_ps"] == 250);
}

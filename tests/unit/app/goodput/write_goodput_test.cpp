#include <catch2/catch.hpp>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "app/explain/result_reader.hpp"
#include "app/goodput/goodput_report.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/workloads/goodput/small_job.hpp"

using namespace lightrail;

namespace {

GoodputResult played() {
  GoodputPlan plan = small_job(8, 10 * one_minute, one_minute);
  plan.runs = 5;
  return play_goodput(plan);
}

}  // namespace

TEST_CASE("the file has a row a run whose times add up to the period, causes, categories and intervals") {
  const test::TemporaryFolder folder;
  const GoodputResult result = played();
  ResultFile file(folder / "r.h5", ResultFile::Mode::create);
  file.set_attribute("/", "schema", "lightrail result");
  file.set_attribute("/", "schema_version", std::int64_t{1});
  file.create_group("/summary");
  write_goodput(file, result);
  file.close();
  REQUIRE(file.problem().empty());
  const ResultReader read(folder / "r.h5", ResultReader::Accept::written);
  const std::string at = "/summary/goodput";
  for (std::size_t run = 0; run < 5; ++run) {
    std::int64_t sum = 0;
    for (const char* use : goodput_use_names()) sum += read.numbers(at + "/runs/" + use + "_ps")[run];
    CHECK(sum == result.plan.period.count());
    CHECK(read.numbers(at + "/runs/failures")[run] == result.samples[run].failures[0]);
  }
  CHECK(read.texts(at + "/causes/use")[3] == "lost");
  CHECK(read.rows(at + "/causes/mean") == goodput_uses);
  CHECK(read.texts(at + "/categories/name") == std::vector<std::string>{"any"});
  CHECK(read.rows(at + "/intervals/closed_form") == result.intervals.size());
  CHECK(read.number_attribute(at, "step_ps") == result.plan.step.count());
  CHECK(read.number_attribute(at, "every_ps") == (10 * one_minute).count());
  CHECK(read.number_attribute(at, "blocking_ps") == one_minute.count());
  CHECK(read.number_attribute(at, "write_ps") == 0);
}

TEST_CASE("JSON has shares that add up to one and null for what there is not") {
  const GoodputResult result = played();
  const auto json = goodput_json(result);
  double sum = 0;
  for (const auto& share : json["shares"]) sum += share["mean"].get<double>();
  CHECK(sum == Approx(1));
  CHECK(json["effective"] == json["shares"]["effective"]["mean"]);
  CHECK(json["categories"]["any"].get<double>() == Approx(json["failures"]["mean"].get<double>()));
  CHECK(json["committed_share"].is_null());
  CHECK(json["best_every_ps"] == result.intervals[*result.best].every.count());
  CHECK(json["intervals"].size() == result.intervals.size());
  GoodputPlan plan = result.plan;
  plan.checkpoint.reset();
  CHECK(json["blocking_ps"] == one_minute.count());
  CHECK(goodput_json(play_goodput(plan))["closed"].is_null());
  CHECK(goodput_json(play_goodput(plan))["every_ps"].is_null());
}

#include <catch2/catch.hpp>

#include <optional>
#include <string>

#include "app/goodput/goodput_report.hpp"
#include "tests/unit/workloads/goodput/small_job.hpp"

using namespace lightrail;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

GoodputPlan job_of_ten_runs() {
  GoodputPlan plan = small_job(8, 10 * one_minute, one_minute);
  plan.gpus = 64;
  plan.runs = 10;
  return plan;
}

}  // namespace

TEST_CASE("a span is in the largest unit of which it has two") {
  CHECK(span_text(1.5) == "1.5 s");
  CHECK(span_text(119) == "119 s");
  CHECK(span_text(470.4) == "7.84 min");
  CHECK(span_text(11'124) == "3.09 h");
  CHECK(span_text(4'665'600) == "54 d");
}

TEST_CASE("the text has shares, failures by category, where time goes and the best interval") {
  GoodputPlan plan = job_of_ten_runs();
  plan.categories.push_back({"cable", 2, {}, false});
  const std::string text = to_text(play_goodput(plan));
  CAPTURE(text);
  CHECK(contains(text, "  of             30 d of 64 GPUs, steps of 1 s, 10 runs"));
  CHECK(contains(text, "failures         295.6 a run"));
  CHECK(text.find("  any  ") < text.find("  cable  "));
  CHECK(contains(text, "  lost  "));
  CHECK_FALSE(contains(text, "  degraded  "));
  CHECK(contains(text, "checkpoint       every 10 min, 60 s blocked\n"));
  CHECK(contains(text, "Young's 17 min"));
  CHECK_FALSE(contains(text, "spare"));
}

TEST_CASE("many categories end in a sum of the others") {
  GoodputPlan plan = job_of_ten_runs();
  for (int i = 0; i < 10; ++i) plan.categories.push_back({"rare " + std::to_string(i), 0.1, {}, false});
  CHECK(contains(to_text(play_goodput(plan)), "  3 others "));
}

TEST_CASE("what the closed forms do not know is said") {
  GoodputPlan plan = job_of_ten_runs();
  plan.spares = SparesPlan{4, one_day};
  CHECK(contains(to_text(play_goodput(plan)), "(neither knows waits for a spare)"));
}

TEST_CASE("of replicas the text has the share of their steps, and no interval") {
  GoodputPlan plan = job_of_ten_runs();
  plan.checkpoint.reset();
  plan.replicas = ReplicaPlan{4, one_second, one_second};
  const std::string text = to_text(play_goodput(plan));
  CHECK(contains(text, "% of those attempted count"));
  CHECK_FALSE(contains(text, "checkpoint "));
}

#include "app/study/study_progress.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("what is left takes as long as the mean of what this call has run") {
  StudyFacts facts;
  facts.points = 10, facts.known = 3, facts.jobs = 2;
  CHECK_FALSE(facts.eta_s().has_value());
  CHECK(progress_text(facts) == "3 of 10 points");
  facts.run = 1, facts.failed = 1, facts.run_s = 20;
  facts.running = {{5, 4.0}, {6, 12.0}};
  // Five are left, 10 s each: three to begin, 6 s of one, none of the other; on two cores.
  CHECK(*facts.eta_s() == Approx((3 * 10 + 6) / 2.0));
  CHECK(progress_text(facts) == "5 of 10 points, 1 failed, 2 running, eta 00:00:18");
}

TEST_CASE("the last run is waited for to its end, however many jobs there are") {
  StudyFacts facts;
  facts.points = 2, facts.run = 1, facts.run_s = 100, facts.jobs = 8;
  facts.running = {{1, 30.0}};
  CHECK(*facts.eta_s() == Approx(70));
}

TEST_CASE("a point's line says its step, or why there is none") {
  CHECK(outcome_text({PointRecord::State::complete, 0, "", "{\"step_time_ps\": 2000000}"}) ==
        "step 2.000 us");
  CHECK(outcome_text({PointRecord::State::complete, 0, "", "{\"step_time_ps\": null}"}) == "complete");
  CHECK(outcome_text({PointRecord::State::failed, 3, "error: deadlock\nmore", ""}) ==
        "exit code 3: error: deadlock");
}

#include "engine/sync/progress_line.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

namespace {
ProgressFacts facts() {
  return {nanoseconds(2'100'000), milliseconds(5), 72, 1'300'000'000, 18.06e6, 1.119};
}
}  // namespace

TEST_CASE("a progress line says share, times, events and imbalance") {
  CHECK(progress_line(facts()) ==
        "progress 42.0% sim 2.100ms wall 00:01:12 eta 00:01:39 events 1.3e9 (18.1e6/s) imbalance 1.12");
}

TEST_CASE("a progress line without known end has neither share nor eta") {
  ProgressFacts open = facts();
  open.end = time_never;
  CHECK(progress_line(open) == "progress sim 2.100ms wall 00:01:12 events 1.3e9 (18.1e6/s) imbalance 1.12");
  CHECK(progress_bar(open) == "sim 2.100ms wall 00:01:12 events 1.3e9 (18.1e6/s) imbalance 1.12");
}

TEST_CASE("a progress bar fills with the share") {
  CHECK(progress_bar(facts()).substr(0, 30) == "[########------------]  42.0% ");
  ProgressFacts late = facts();
  late.now = milliseconds(7);
  CHECK(progress_bar(late).substr(0, 30) == "[####################] 100.0% ");
}

TEST_CASE("small counts are printed without exponent and rounding never shows 1000.0") {
  ProgressFacts few = facts();
  few.events = 999;
  few.events_per_s = 999'960;
  CHECK_THAT(progress_line(few), Catch::Contains("events 999 (1.0e6/s)"));
}

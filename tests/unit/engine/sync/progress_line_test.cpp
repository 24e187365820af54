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

TEST_CASE("in the first hundredth of a run nobody knows how long it takes") {
  ProgressFacts early = facts();
  early.now = microseconds(40);  // of 5 ms
  CHECK_THAT(progress_line(early), Catch::Contains("progress 0.8% ") && !Catch::Contains("eta"));
}

TEST_CASE("a progress line without known end has neither share nor eta") {
  ProgressFacts open = facts();
  open.end = time_never;
  CHECK(progress_line(open) == "progress sim 2.100ms wall 00:01:12 events 1.3e9 (18.1e6/s) imbalance 1.12");
  CHECK(progress_bar(open) == "sim 2.100ms wall 00:01:12 events 1.3e9 (18.1e6/s) imbalance 1.12");
}

// 0.3 of the work in 72 s leaves 0.7 / 0.3 * 72 s = 168 s.
TEST_CASE("a progress line without known end takes the share of the work that is done") {
  ProgressFacts open = facts();
  open.end = time_never;
  open.done = 0.3;
  CHECK_THAT(progress_line(open), Catch::Contains("progress 30.0% ") && Catch::Contains(" eta 00:02:48 "));
}

// 0.2 of the work in 72 s, and 0.1 by the run before: 0.7 / 0.2 * 72 s = 252 s.
TEST_CASE("the eta of a resumed run knows that the run before has done a part") {
  ProgressFacts resumed = facts();
  resumed.end = time_never;
  resumed.done = 0.3;
  resumed.done_before = 0.1;
  CHECK_THAT(progress_line(resumed), Catch::Contains("progress 30.0% ") && Catch::Contains(" eta 00:04:12 "));
}

TEST_CASE("a run that a stop time ends before its work shows the share of the time") {
  ProgressFacts stopped = facts();
  stopped.done = 0.3;
  CHECK_THAT(progress_line(stopped), Catch::Contains("progress 42.0% ") && Catch::Contains(" eta 00:01:39 "));
}

TEST_CASE("lines come after a second and then every half minute, a bar every second") {
  ProgressPrinter lines(Progress::lines, 1, 0), bar(Progress::bar, 1, 0), other_rank(Progress::lines, 1, 1);
  for (ProgressPrinter* printer : {&lines, &bar}) {
    CHECK_FALSE(printer->is_due(0.9));
    REQUIRE(printer->is_due(1));
    ProgressFacts first = facts();
    first.wall_s = 1;
    printer->print(first);
  }
  CHECK_FALSE(lines.is_due(30.9));
  CHECK(lines.is_due(31));
  CHECK(bar.is_due(2));
  CHECK_FALSE(other_rank.is_due(100));
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

#include "components/gpu/execution/iteration_stretch.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace lightrail;

namespace {

constexpr ExposedTime::Key compute{.use = TimeUse::compute}, idle{.use = TimeUse::idle};

SimTime at(std::int64_t ps) {
  return SimTime{ps};
}

/// A GPU that has ended `ended` iterations: the first takes 130 ps, the others `time`, of which it computes
/// 80 ps; it sends 30 B in 2 messages in each. It steps over 10 of 14.
IterationStretch stretch_of(std::uint32_t ended, std::int64_t time = 100) {
  IterationStretch stretch({.settling = 1, .skipped = 10});
  std::int64_t start = 0;
  for (std::uint32_t i = 0; i < ended; ++i) {
    const std::int64_t end = start + (i == 0 ? 130 : time), rest = end - start - 80,
                       before = std::int64_t{i} + 1;
    stretch.end_iteration({at(start),
                           at(end),
                           {at(80), at(0), at(0), at(rest)},
                           {{compute, at(80)}, {idle, at(rest)}},
                           at(start)},
                          {{at(60 * before), at(20 * before), at(0), at(end - 80 * before)},
                           {.by_dimension = {{30 * before, 2 * before}}, .by_receiver = {{7, 30 * before}}}});
    start = end;
  }
  return stretch;
}

void hear(std::vector<IterationStretch*> all) {
  std::vector<std::int64_t> largest;
  for (const IterationStretch* one : all) one->raise_largest(largest);
  for (IterationStretch* one : all) one->hear_largest(largest);
}

std::vector<StepRecord> steps_of(const IterationStretch& stretch) {
  return stretch.all({stretch.simulated().begin(), stretch.simulated().end()});
}

}  // namespace

TEST_CASE("iterations that are not simulated are like the one before them") {
  IterationStretch stretch = stretch_of(4);
  hear({&stretch});
  REQUIRE(stretch.is_whole());
  CHECK(stretch.period() == at(100));
  CHECK(stretch.difference() == at(0));
  const std::vector<StepRecord> all = steps_of(stretch);
  REQUIRE(all.size() == 14);
  for (std::size_t i = 1; i < all.size(); ++i) {
    // 130 + 100 (i - 1)
    CHECK(all[i].start == at(130 + 100 * (static_cast<std::int64_t>(i) - 1)));
    CHECK(all[i].time() == at(100));
    CHECK(all[i].split.compute == at(80));
    CHECK(all[i].uses[0].time == at(80));
  }
  // Rows stand where they were simulated: those counted in with the one that they are like.
  CHECK(all[12].simulated_start == at(230));
  CHECK(all[13].simulated_start == at(330));
  CHECK(stretch.sent().by_dimension[0].bytes == 300);
  CHECK(stretch.sent().by_dimension[0].messages == 20);
  CHECK(stretch.sent().by_receiver.at(7) == 300);
  const StepClock::Activity did = stretch.activity();
  CHECK(did.compute == at(600));
  CHECK(did.memory == at(200));
  CHECK(did.idle == at(200));
  const WholeRun run = stretch.whole_run();
  CHECK(run.added == at(1000));
  CHECK(run.simulated == 4);
  CHECK(run.all == 14);
}

TEST_CASE("a GPU that is faster waits for the slowest one") {
  IterationStretch fast = stretch_of(4), slow = stretch_of(4, 105);
  hear({&fast, &slow});
  const std::vector<StepRecord> all = steps_of(fast);
  CHECK(all[2].time() == at(100));
  CHECK(all[3].time() == at(105));
  CHECK(all[3].split.idle == at(25));
  CHECK(all[3].uses[1].time == at(25));
  CHECK(all[12].end == at(130 + 2 * 100 + 10 * 105));
  CHECK(all[13].start == all[12].end);
  CHECK(all[13].time() == at(100));
  CHECK(fast.activity().idle == at(250));
}

TEST_CASE("steps that leave out a part of themselves are counted in whole") {
  IterationStretch stretch = stretch_of(4);
  hear({&stretch});
  std::vector<StepRecord> whole(stretch.simulated().begin(), stretch.simulated().end());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto before = static_cast<std::int64_t>(i);
    whole[i].start += at(1000 * before), whole[i].end += at(1000 * (before + 1));
    whole[i].split.compute += at(1000), whole[i].uses[0].time += at(1000);
  }
  const std::vector<StepRecord> all = stretch.all(whole);
  CHECK(all[7].time() == at(1100));
  CHECK(all[7].split.compute == at(1080));
  CHECK(all[13].end == at(130 + 13 * 100 + 14 * 1000));
}

TEST_CASE("where some GPU has not ended its last iteration nothing is counted in") {
  IterationStretch ended = stretch_of(4), stopped = stretch_of(3), idle_one = stretch_of(0);
  for (IterationStretch* other : {&stopped, &idle_one}) {
    hear({&ended, other});
    for (IterationStretch* one : {&ended, other}) {
      CHECK_FALSE(one->is_whole());
      CHECK(steps_of(*one).size() == one->simulated().size());
      CHECK(one->sent().by_dimension.empty());
      CHECK(one->activity().busy() == at(0));
      CHECK(one->whole_run().all == 1);
    }
  }
}

TEST_CASE("iterations that differ say by how much") {
  IterationStretch stretch({.settling = 1, .skipped = 10});
  const StepClock::Totals even{at(80), at(0), at(0), at(20)}, odd{at(77), at(0), at(0), at(23)};
  for (std::int64_t i = 0; i < 4; ++i)
    stretch.end_iteration({at(100 * i), at(100 * i + 100), i == 2 ? odd : even, {}, at(100 * i)}, {});
  CHECK(stretch.difference() == at(3));
}

TEST_CASE("a checkpoint between iterations changes nothing") {
  IterationStretch whole = stretch_of(4);
  const IterationStretch before = stretch_of(4);
  StateWriter out;
  before.save(out);
  const auto bytes = out.bytes();
  StateReader in(bytes);
  IterationStretch after({.settling = 1, .skipped = 10});
  after.load(in);
  CHECK(in.is_at_end());
  hear({&whole});
  hear({&after});
  CHECK(steps_of(after).size() == 14);
  CHECK(steps_of(after).back().end == steps_of(whole).back().end);
  CHECK(after.sent().by_receiver == whole.sent().by_receiver);
  CHECK(after.activity().memory == whole.activity().memory);
}

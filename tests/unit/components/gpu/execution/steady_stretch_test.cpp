#include "components/gpu/execution/steady_stretch.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace lightrail;
using Part = ExposedTime::Part;

namespace {

constexpr ExposedTime::Key compute{.use = TimeUse::compute}, idle{.use = TimeUse::idle},
    pp{.use = TimeUse::communication, .dimension = 1, .group = 2};

SimTime at(std::int64_t ps) {
  return SimTime{ps};
}

SentPayload sent(std::int64_t bytes, std::int64_t messages) {
  return {.by_dimension = {{}, {bytes, messages}}, .by_receiver = {{7, bytes}}};
}

/// A GPU whose period is 100 ps, of which it computes 70, waits for 20 and is idle for 10; it sends 30 B in 2
/// messages in each. It begins at `start`, has 150 ps before its first marker and 250 after its last.
void run_iteration(SteadyStretch& steady, std::int64_t start, std::int64_t period = 100) {
  const SteppedOver& by = steady.stepped_over();
  const auto until = [&](std::int64_t periods) {
    const std::int64_t others = period - 100;
    return SteadyStretch::Figures{
        at(start + 150 + period * periods),
        {at(100 + 70 * periods), at(20 * periods), at(0), at(50 + (10 + others) * periods)},
        {{compute, at(100 + 70 * periods)}, {pp, at(20 * periods)}, {idle, at(50 + (10 + others) * periods)}},
        sent(1000 + 30 * periods, 5 + 2 * periods)};
  };
  steady.pass(by.begin, until(0));
  steady.pass(by.middle, until(by.measured / 2));
  steady.pass(by.end, until(by.measured));
  const SteadyStretch::Figures all = until(by.measured);
  StepRecord record{at(start), all.at + at(250), all.split, all.uses, at(start)};
  record.split.compute += at(250), record.uses[0].time += at(250);
  steady.end_step(record);
}

std::int64_t time_of(const std::vector<Part>& parts, const ExposedTime::Key& key) {
  std::int64_t time = 0;
  for (const Part& part : parts)
    if (part.key == key) time += part.time.count();
  return time;
}

void hear_own(SteadyStretch& steady) {
  std::vector<std::int64_t> largest;
  steady.raise_largest(largest);
  steady.hear_largest(largest);
}

}  // namespace

TEST_CASE("a step has what its periods would have been that were not simulated") {
  SteadyStretch steady({3, 5, 9, 4, 10});
  CHECK((steady.is_marker(3) && steady.is_marker(5) && steady.is_marker(9)));
  CHECK_FALSE(steady.is_marker(4));
  run_iteration(steady, 0);
  hear_own(steady);
  REQUIRE(steady.steps().size() == 1);
  CHECK(steady.added_to(0) == at(1000));
  // 150 + 14 x 100 + 250
  const StepRecord step = steady.whole_step(0);
  CHECK(step.start == at(0));
  CHECK(step.end == at(1800));
  CHECK(step.split.compute == at(100 + 14 * 70 + 250));
  CHECK(step.split.exposed == at(14 * 20));
  CHECK(step.split.idle == at(50 + 14 * 10));
  CHECK(step.split.host == at(0));
  CHECK(time_of(step.uses, compute) == 100 + 14 * 70 + 250);
  CHECK(time_of(step.uses, pp) == 14 * 20);
  CHECK(time_of(step.uses, idle) == 50 + 14 * 10);
  const SentPayload more = steady.sent();
  CHECK(more.by_dimension[1].bytes == 300);
  CHECK(more.by_dimension[1].messages == 20);
  CHECK(more.by_receiver.at(7) == 300);
}

TEST_CASE("the next iteration begins where the whole one before ends") {
  SteadyStretch steady({3, 5, 9, 4, 10});
  run_iteration(steady, 0);
  run_iteration(steady, 800);
  hear_own(steady);
  const StepRecord second = steady.whole_step(1);
  CHECK(second.start == at(1800));
  CHECK(second.end == at(3600));
  CHECK(second.simulated_start == at(800));
  CHECK(steady.sent().by_dimension[1].bytes == 600);
}

TEST_CASE("a GPU waits for the slowest one's periods") {
  SteadyStretch steady({3, 5, 9, 4, 10}), slow({3, 5, 9, 4, 10});
  run_iteration(steady, 0);
  run_iteration(slow, 0, 120);
  std::vector<std::int64_t> largest;
  steady.raise_largest(largest);
  slow.raise_largest(largest);
  CHECK(largest == std::vector<std::int64_t>{240});
  steady.hear_largest(largest);
  CHECK(steady.added_to(0) == at(1200));
  const StepRecord step = steady.whole_step(0);
  CHECK(step.end == at(2000));
  CHECK(step.split.compute == at(100 + 14 * 70 + 250));
  CHECK(step.split.idle == at(50 + 14 * 10 + 200));
  std::int64_t all = 0;
  for (const Part& part : step.uses) all += part.time.count();
  CHECK(all == 2000);
}

TEST_CASE("a send that ends behind a marker changes no sum") {
  // It was counted behind the marker with what lay before it: 60 ps more than the time between them.
  SteadyStretch steady({3, 5, 9, 2, 4});
  steady.pass(3, {at(0), {}, {}, {}});
  steady.pass(5, {at(100), {at(100), at(0), at(0), at(0)}, {{compute, at(40)}}, {}});
  steady.pass(9, {at(200), {at(200), at(0), at(0), at(0)}, {{compute, at(100)}, {pp, at(100)}}, {}});
  steady.end_step(
      {at(0), at(300), {at(300), at(0), at(0), at(0)}, {{compute, at(200)}, {pp, at(100)}}, at(0)});
  hear_own(steady);
  const StepRecord step = steady.whole_step(0);
  CHECK(step.end == at(700));
  std::int64_t all = 0;
  for (const Part& part : step.uses) all += part.time.count();
  CHECK(all == 700);
}

TEST_CASE("a checkpoint between markers changes nothing") {
  const SteppedOver by{3, 5, 9, 4, 10};
  SteadyStretch whole(by), before(by), after(by);
  run_iteration(whole, 0);
  run_iteration(before, 0);
  for (SteadyStretch* one : {&whole, &before}) {
    one->pass(3, {at(900), {}, {}, {}});
    one->pass(5, {at(950), {at(1), at(2), at(3), at(4)}, {{pp, at(5)}}, sent(1, 1)});
  }
  StateWriter out;
  before.save(out);
  const auto bytes = out.bytes();
  StateReader in(bytes);
  after.load(in);
  CHECK(in.is_at_end());
  for (SteadyStretch* one : {&whole, &after}) {
    one->pass(9, {at(1050), {at(81), at(12), at(3), at(14)}, {{pp, at(25)}}, sent(61, 3)});
    one->end_step({at(800), at(1100), {at(200), at(50), at(3), at(47)}, {{compute, at(200)}}, at(800)});
    hear_own(*one);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const StepRecord a = whole.whole_step(i), b = after.whole_step(i);
    CHECK(a.start == b.start);
    CHECK(a.end == b.end);
    CHECK(a.split.idle == b.split.idle);
    CHECK(time_of(a.uses, pp) == time_of(b.uses, pp));
  }
  CHECK(whole.sent().by_receiver == after.sent().by_receiver);
}

#include <vector>

#include "engine/sync/flush_clock.hpp"

#include <catch2/catch.hpp>

#include "tests/support/memory_recorder.hpp"

using namespace lightrail;
using lightrail::test::MemoryRecorder;

TEST_CASE("a boundary is flushed when time passes it, idle intervals are left out") {
  MemoryRecorder recorder(SimTime{10});
  FlushClock clock(recorder);
  clock.pass(SimTime{0});
  clock.pass(SimTime{9});
  CHECK(recorder.flushes.empty());
  clock.pass(SimTime{10});
  CHECK(recorder.flushes == std::vector<SimTime>{SimTime{10}});
  CHECK(clock.boundary() == SimTime{20});
  clock.pass(SimTime{57});
  CHECK(recorder.flushes == std::vector<SimTime>{SimTime{10}, SimTime{20}});
  CHECK(clock.boundary() == SimTime{60});
}

TEST_CASE("an interval of never, zero or beyond the last time has no boundary to overflow") {
  MemoryRecorder never, zero(SimTime{0}), long_one(time_never - SimTime{5});
  CHECK(FlushClock(never).boundary() == time_never);
  CHECK(FlushClock(zero).boundary() == time_never);
  FlushClock clock(long_one);
  clock.pass(time_never - SimTime{1});
  CHECK(long_one.flushes.size() == 1);
  CHECK(clock.boundary() == time_never);
}

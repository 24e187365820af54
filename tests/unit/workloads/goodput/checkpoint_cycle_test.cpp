#include "workloads/goodput/checkpoint_cycle.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/workloads/goodput/small_job.hpp"

using namespace lightrail;

namespace {

using Progress = CheckpointCycle::Progress;

/// In seconds: work, stall, slowed, committed.
void check(const CheckpointCycle& cycle, int elapsed, int work, int stall, int slowed, int committed) {
  INFO("after " << elapsed << " s");
  const Progress progress = cycle.after(elapsed * one_second);
  CHECK(progress.work == work * one_second);
  CHECK(progress.stall == stall * one_second);
  CHECK(progress.slowed == slowed * one_second);
  CHECK(progress.committed == committed * one_second);
}

}  // namespace

TEST_CASE("a synchronous checkpoint is there when training goes on") {
  // 100 s of work, 10 s blocked: ends of checkpoints at 110, 220, ...
  const CheckpointCycle cycle({{}, 10 * one_second, {}, 1}, 100 * one_second);
  CHECK(cycle.segment() == 110 * one_second);
  check(cycle, 0, 0, 0, 0, 0);
  check(cycle, 99, 99, 0, 0, 0);
  check(cycle, 105, 100, 5, 0, 0);
  check(cycle, 110, 100, 10, 0, 100);
  check(cycle, 215, 200, 15, 0, 100);
  check(cycle, 220, 200, 20, 0, 200);
  check(cycle, 1100, 1000, 100, 0, 1000);
}

TEST_CASE("during a background write a failure falls back to the checkpoint before") {
  // 100 s of work, 2 s blocked, 30 s of write: checkpoint n is there at 102 n + 30.
  const CheckpointCycle cycle({{}, 2 * one_second, 30 * one_second, 1}, 100 * one_second);
  CHECK(cycle.segment() == 102 * one_second);
  check(cycle, 102, 100, 2, 0, 0);
  check(cycle, 131, 129, 2, 0, 0);
  check(cycle, 132, 130, 2, 0, 100);
  check(cycle, 204, 200, 4, 0, 100);
  check(cycle, 233, 229, 4, 0, 100);
  check(cycle, 234, 230, 4, 0, 200);
}

TEST_CASE("a write that slows training makes every segment but the first one longer") {
  // Half as fast for 40 s: 20 s of work take 20 s longer.
  const CheckpointCycle cycle({{}, 2 * one_second, 40 * one_second, 0.5}, 100 * one_second);
  CHECK(cycle.segment() == 122 * one_second);
  check(cycle, 102, 100, 2, 0, 0);
  check(cycle, 122, 110, 2, 10, 0);
  check(cycle, 142, 120, 2, 20, 100);
  check(cycle, 222, 200, 2, 20, 100);
  check(cycle, 224, 200, 4, 20, 100);
  check(cycle, 264, 220, 4, 40, 200);
}

TEST_CASE("a segment that is shorter than the write waits for it") {
  // 10 s of work, 1 s blocked, 30 s of write: the second checkpoint begins when the first one is there.
  const CheckpointCycle cycle({{}, one_second, 30 * one_second, 1}, 10 * one_second);
  CHECK(cycle.segment() == 31 * one_second);
  check(cycle, 11, 10, 1, 0, 0);
  check(cycle, 21, 20, 1, 0, 0);
  check(cycle, 40, 20, 20, 0, 0);
  check(cycle, 41, 20, 21, 0, 10);
  check(cycle, 42, 20, 22, 0, 10);
  check(cycle, 73, 30, 43, 0, 20);
}

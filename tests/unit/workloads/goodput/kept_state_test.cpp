#include "workloads/goodput/kept_state.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "tests/unit/workloads/goodput/small_job.hpp"

using namespace lightrail;

namespace {

/// Saved each 10 min, written in 4, each third one to storage in 7 more.
const JobCheckpoint each_ten{10 * one_minute, {}, 4 * one_minute, 1};
const MemoryCopies in_pairs{8, 2, 3, 7 * one_minute, one_second};

}  // namespace

TEST_CASE("memory has the last checkpoint that is complete, and storage the last one that was written") {
  const CheckpointCycle cycle(each_ten, 10 * one_minute);
  KeptState state(in_pairs, 10 * one_minute);
  CHECK(!state.is_in_memory());
  state.train(cycle, 13 * one_minute);  // 10 + 4 min: not yet
  CHECK(!state.is_in_memory());
  CHECK(state.fall_back() == SimTime{});  // it begins anew
  state.train(cycle, 55 * one_minute);    // the fifth is complete at 54, the third is in storage at 34 + 7
  CHECK(state.is_in_memory());
  CHECK(state.fall_back() == SimTime{});
  const std::vector<std::uint32_t> pair{2, 3};
  CHECK(state.lose(pair));
  CHECK(!state.is_in_memory());
  CHECK(state.fall_back() == 20 * one_minute);  // of 50
  CHECK(state.fall_back() == SimTime{});        // once
}

TEST_CASE(
    "one server of each group may be lost, another one of the same before the next checkpoint may not") {
  const CheckpointCycle cycle(each_ten, 10 * one_minute);
  KeptState state(in_pairs, 10 * one_minute);
  state.train(cycle, 20 * one_minute);
  CHECK(!state.lose(std::array<std::uint32_t, 4>{0, 3, 4, 7}));
  CHECK(state.is_in_memory());
  state.train(cycle, 13 * one_minute);                  // no checkpoint between
  CHECK(!state.lose(std::array<std::uint32_t, 1>{3}));  // its spare: it kept nothing
  CHECK(state.lose(std::array<std::uint32_t, 1>{2}));
  CHECK(state.fall_back() == 10 * one_minute);

  KeptState again(in_pairs, 10 * one_minute);
  again.train(cycle, 20 * one_minute);
  CHECK(!again.lose(std::array<std::uint32_t, 1>{3}));
  again.train(cycle, 20 * one_minute);  // one more checkpoint
  CHECK(!again.lose(std::array<std::uint32_t, 1>{2}));
  CHECK(again.is_in_memory());
}

TEST_CASE("storage counts from where it was when the state was restored") {
  const CheckpointCycle cycle(each_ten, 10 * one_minute);
  KeptState state(in_pairs, 10 * one_minute);
  state.train(cycle, 30 * one_minute);  // two
  state.train(cycle, 22 * one_minute);  // the third at 14, in storage at 21
  CHECK(state.lose(std::array<std::uint32_t, 2>{0, 1}));
  CHECK(state.fall_back() == SimTime{});
}

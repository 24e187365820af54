#include "engine/model/whole_run.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace lightrail;

TEST_CASE("a run stands for itself unless it is told otherwise") {
  const WholeRun run;
  CHECK(run.added == SimTime{0});
  CHECK(run.of(std::int64_t{7}) == 7);
  CHECK(run.of(0.1) == 0.1);
}

TEST_CASE("counts of some iterations are those of all where these are alike") {
  const WholeRun run{SimTime{1}, 4, 14};
  // 14 / 4 of 4 x 10
  CHECK(run.of(std::int64_t{40}) == 140);
  CHECK(run.of(SimTime{40}) == SimTime{140});
  CHECK(run.of(40.0) == Approx(140));
  // Wider than 64 bits in between.
  CHECK(run.of(std::int64_t{1} << 61) == (std::int64_t{1} << 61) / 4 * 14);
}

#include "network/health/pace_change.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace lightrail;

TEST_CASE("of slowdowns that overlap the worst counts, and each ends by itself") {
  const auto us = [](std::int64_t n) { return microseconds(n); };
  CHECK(pace_changes_of({}).empty());
  CHECK(pace_changes_of({{{us(1), us(3)}, 400'000}}) ==
        std::vector<PaceChange>{{us(1), 400'000}, {us(3), 0}});
  CHECK(pace_changes_of({{{us(2), us(8)}, 400'000}, {{us(4), us(5)}}, {{us(1), us(3)}, 100'000}}) ==
        std::vector<PaceChange>{
            {us(1), 100'000}, {us(2), 400'000}, {us(4), all_speed}, {us(5), 400'000}, {us(8), 0}});
}

TEST_CASE("slowdowns that touch are no change where they are alike, and none of no length counts") {
  const auto us = [](std::int64_t n) { return microseconds(n); };
  CHECK(pace_changes_of({{{us(1), us(3)}, 5}, {{us(3), us(4)}, 5}, {{us(9), us(9)}, 7}}) ==
        std::vector<PaceChange>{{us(1), 5}, {us(4), 0}});
}

TEST_CASE("a fault without an end is the last change") {
  CHECK(pace_changes_of({{{microseconds(2), time_never}}, {{microseconds(1), time_never}, 10}}) ==
        std::vector<PaceChange>{{microseconds(1), 10}, {microseconds(2), all_speed}});
}

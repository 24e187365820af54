#include "workloads/import/exposed_time.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("communication is exposed while nothing else runs, however its spans overlap") {
  // Of 10 to 40 and 60 to 70 the spans 15 to 20 and 30 to 65 are hidden: 40 - 5 - 10 - 5.
  CHECK(exposed_time({{20, 40}, {10, 25}, {60, 70}}, {{30, 50}, {15, 20}, {45, 65}}) == 20);
  CHECK(exposed_time({{0, 10}}, {}) == 10);
  CHECK(exposed_time({{0, 10}}, {{0, 10}}) == 0);
  CHECK(exposed_time({}, {{0, 10}}) == 0);
  CHECK(exposed_time({{5, 5}}, {}) == 0);
}

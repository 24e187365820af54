#include "engine/base/time.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("a time prints with three decimals and the largest fitting unit") {
  CHECK(format_time(milliseconds(2) + microseconds(100)) == "2.100 ms");
  CHECK(format_time(picoseconds(0)) == "0 ps");
  CHECK(format_time(picoseconds(999)) == "999 ps");
  CHECK(format_time(picoseconds(1'000)) == "1.000 ns");
  CHECK(format_time(picoseconds(1'234'567)) == "1.235 us");
  CHECK(format_time(milliseconds(61'500)) == "61.500 s");
}

TEST_CASE("rounding a time carries into the whole part") {
  CHECK(format_time(picoseconds(1'999'999)) == "2.000 us");
}

TEST_CASE("negative times and the ends of the range print") {
  CHECK(format_time(microseconds(-3)) == "-3.000 us");
  CHECK(format_time(picoseconds(-7)) == "-7 ps");
  CHECK(format_time(time_never) == "never");
  CHECK(format_time(SimTime::min()) == "-9223372.037 s");
}

#include "network/port/line_time.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("the time of a byte is that of each line it is asked of, in whatever order they come") {
  const LineTime slow(BitRate{100'000'000'000}), fast(BitRate{400'000'000'000}), none;
  ByteTime byte;
  CHECK(byte.on(none) == SimTime{0});
  CHECK(byte.on(fast) == SimTime{20});
  CHECK(byte.on(fast) == SimTime{20});
  CHECK(byte.on(slow) == SimTime{80});
  CHECK(byte.on(none) == SimTime{0});
  CHECK(byte.on(fast) == SimTime{20});
}

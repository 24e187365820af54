#include "network/port/backlog.hpp"

#include <catch2/catch.hpp>

#include "network/port/flow_control.hpp"

using namespace lightrail;

TEST_CASE("to wait for the far end is worse than any time on the line", "[port]") {
  const Backlog nothing(false, SimTime{0}), hours(false, milliseconds(36'000'000)), shut(true, SimTime{0});
  CHECK(nothing.is_empty());
  CHECK(nothing < hours);
  CHECK(hours < shut);
  CHECK(shut < Backlog(true, SimTime{1}));
  CHECK(Backlog(true, milliseconds(36'000'000)) < Backlog());
  CHECK_FALSE(shut.is_empty());
  CHECK(shut.must_wait());
  CHECK_FALSE(hours.must_wait());
  CHECK(hours.line() == milliseconds(36'000'000));
  CHECK(Backlog(true, SimTime{7}).line() == SimTime{7});
  CHECK(nothing + SimTime{7} == Backlog(false, SimTime{7}));
  CHECK(shut + SimTime{7} == Backlog(true, SimTime{7}));
}

// With v of C bytes of credit left, v + v / 3 may be free: C - 4/3 v is in the buffer for certain.
TEST_CASE("credits tell what the far buffer holds for certain", "[port]") {
  CHECK(far_load(1200, 1200) == 0);
  CHECK(far_load(1200, 900) == 0);  // a quarter may be on its way back
  CHECK(far_load(1200, 600) == 400);
  CHECK(far_load(1200, 0) == 1200);
  CHECK(far_load(unlimited, unlimited) == 0);
}

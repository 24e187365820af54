#include "network/port/backlog.hpp"

#include <catch2/catch.hpp>

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
}

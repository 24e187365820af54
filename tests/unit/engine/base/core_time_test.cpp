#include "engine/base/core_time.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("Linux counts nanoseconds run and waited for a core") {
  const CoreTime time = parse_core_time("3000000000 1000000000 1234\n");
  CHECK(time.ran_s == Approx(3));
  CHECK(time.waited_s == Approx(1));
  CHECK(time.share() == Approx(0.75));
}

TEST_CASE("a kernel that does not count says nothing of shared cores") {
  for (const char* text : {"", "cpu times", "12"}) {
    const CoreTime time = parse_core_time(text);
    CHECK(time.ran_s == 0);
    CHECK(time.waited_s == 0);
    CHECK(time.share() == 1);
  }
}

TEST_CASE("a part of a thread's time is what lies between two readings") {
  const CoreTime part = CoreTime{8, 3} - CoreTime{2, 1};
  CHECK(part.ran_s == 6);
  CHECK(part.waited_s == 2);
}

TEST_CASE("a thread's times only grow") {
  const CoreTime before = core_time(), after = core_time();
  CHECK(after.ran_s >= before.ran_s);
  CHECK(after.waited_s >= before.waited_s);
}

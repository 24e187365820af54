#include <cstdint>

#include "engine/sync/profile.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("a profile keeps every window up to a thousand rows") {
  Profile profile;
  for (std::int64_t w = 0; w < 1000; ++w)
    profile.add({w, 1, SimTime{w}, SimTime{w + 1}, 0.5, 0.25, 3, 2, 64});
  const auto rows = profile.rows();
  REQUIRE(rows.size() == 1000);
  CHECK(rows[7].first_window == 7);
  CHECK(rows[7].events == 3);
}

TEST_CASE("a long profile is merged and loses nothing") {
  Profile profile;
  constexpr std::int64_t windows = 1'000'003;
  for (std::int64_t w = 0; w < windows; ++w)
    profile.add({w, 1, SimTime{w}, SimTime{w + 1}, 0.5, 0.25, 3, 2, 64});
  const auto rows = profile.rows();
  CHECK(rows.size() <= 1024);
  CHECK(rows.size() > 400);
  std::int64_t next = 0, events = 0, sent = 0, bytes = 0;
  double work = 0;
  for (const auto& row : rows) {
    REQUIRE(row.first_window == next);
    REQUIRE(row.t_start == SimTime{next});
    next += row.windows;
    REQUIRE(row.t_end == SimTime{next});
    events += row.events, sent += row.sent_events, bytes += row.sent_bytes, work += row.work_s;
  }
  CHECK(next == windows);
  CHECK(events == 3 * windows);
  CHECK(sent == 2 * windows);
  CHECK(bytes == 64 * windows);
  CHECK(work == Approx(0.5 * windows));
  CHECK(profile.total().events == 3 * windows);
}

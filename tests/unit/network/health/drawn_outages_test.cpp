#include "network/health/drawn_outages.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

using namespace lightrail;

namespace {

constexpr double hours_per_ms = 1.0 / 3'600'000;

/// Works for 10 ms in the mean, then fails for 2 ms; up to 1 s.
FaultRate rate() {
  return {10 * hours_per_ms, milliseconds(2), milliseconds(1'000)};
}

}  // namespace

TEST_CASE("outages are as many and as long as the rate says") {
  // 1 s / 12 ms = 83.3 failures of each of 400, 33'333 in all. A renewal process that works for 10 ms with a
  // standard deviation of 10 ms in turns of 12 ms has a variance of 100 / 144 of its mean: 152 +- 4 of them.
  std::size_t count = 0;
  SimTime works{};
  for (int i = 0; i < 400; ++i) {
    SimTime up{};
    for (const Outage& outage : draw_outages(rate(), 1, "nic" + std::to_string(i), 0)) {
      ++count;
      works += outage.down - up, up = outage.up;
      REQUIRE(outage.up - outage.down == milliseconds(2));
    }
  }
  CHECK(static_cast<double>(count) == Approx(33'333).margin(4 * 152));
  // Exponential gaps: the mean of n has a standard deviation of its n-th root's share.
  const double mean_ps = static_cast<double>(works.count()) / static_cast<double>(count);
  CHECK(mean_ps == Approx(10e9).epsilon(4 / std::sqrt(static_cast<double>(count)) + 0.002));
  CHECK(expected_outages(rate()) >= static_cast<double>(count) / 400);
}

TEST_CASE("outages follow one another and begin before the time up to which they are drawn") {
  SimTime up{};
  for (const Outage& outage : draw_outages(rate(), 7, "leaf2:17", 0)) {
    CHECK(outage.down > up);
    CHECK(outage.down < milliseconds(1'000));
    up = outage.up;
  }
}

TEST_CASE("seed, name and rate alone fix them") {
  const std::vector<Outage> all = draw_outages(rate(), 1, "nic3", 0);
  REQUIRE_FALSE(all.empty());
  CHECK(draw_outages(rate(), 1, "nic3", 0) == all);
  CHECK(draw_outages(rate(), 2, "nic3", 0) != all);
  CHECK(draw_outages(rate(), 1, "nic4", 0) != all);
  CHECK(draw_outages(rate(), 1, "nic3", 1) != all);
}

TEST_CASE("what is never repaired fails once") {
  FaultRate forever = rate();
  forever.repair = time_never;
  const std::vector<Outage> all = draw_outages(forever, 1, "nic3", 0);
  REQUIRE(all.size() == 1);
  CHECK(all[0].up == time_never);
  CHECK(expected_outages(forever) == 1);
}

TEST_CASE("what works for longer than time lasts does not fail") {
  CHECK(draw_outages({1e12, milliseconds(1), time_never}, 1, "nic3", 0).empty());
}

#include "engine/sync/far_wheel.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>

#include "engine/base/random.hpp"

using namespace lightrail;

// Rounds are times / 10 here. The wheel is compared with a sorted map through random pushes and jumps.
TEST_CASE("a wheel gives back every event in its own round, whatever the jumps") {
  constexpr std::int64_t width = 10;
  ChunkPool pool;
  FarWheel wheel(pool);
  std::multimap<std::int64_t, std::uint32_t> expected;  // time -> tie
  Random random(11, ComponentId{0}, 0);
  std::uint32_t ties = 0;
  const auto round_of = [](SimTime time) { return time.count() / width; };
  std::int64_t poured = 0;
  for (int step = 0; step < 20'000; ++step) {
    for (std::uint64_t n = random.below(4); n > 0; --n) {
      const auto far = static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(45)));
      const std::int64_t round = wheel.base() + 1 + far;
      const std::int64_t time = round * width + static_cast<std::int64_t>(random.below(width));
      wheel.push({{SimTime{time}, LinkId{0}, ties, {}}, ties + 1, 0, 0}, round);
      expected.emplace(time, ties++);
    }
    CHECK(wheel.is_empty() == expected.empty());
    REQUIRE(wheel.next_time() == (expected.empty() ? time_never : SimTime{expected.begin()->first}));
    if (expected.empty()) continue;
    // To the first event's round, or somewhere before it.
    const std::int64_t first = expected.begin()->first / width;
    const auto gap = static_cast<std::uint64_t>(first - wheel.base());
    const std::int64_t round =
        random.below(3) == 0 ? wheel.base() + static_cast<std::int64_t>(random.below(gap)) : first;
    wheel.advance(round, round_of, [&](const Delivery& delivery) {
      const Event& event = delivery.event;
      REQUIRE(delivery.place == event.tie + 1);
      ++poured;
      REQUIRE(event.time.count() / width == round);
      auto [low, high] = expected.equal_range(event.time.count());
      while (low != high && low->second != event.tie) ++low;
      REQUIRE(low != high);
      expected.erase(low);
    });
    REQUIRE((expected.empty() || expected.begin()->first / width > round));
  }
  CHECK(poured > 10'000);
}

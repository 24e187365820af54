#include "workloads/collective/shared_line.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

namespace lightrail {
namespace {

/// 1 B/ns.
SharedLine line() {
  return SharedLine(BitRate{8'000'000'000});
}

}  // namespace

TEST_CASE("messages that are there at once end with the share that each has had") {
  SharedLine of = line();
  const std::uint32_t large = of.add(SimTime{0}, 300), small = of.add(SimTime{0}, 100);
  CHECK(of.last_end() == nanoseconds(400));
  of.run();
  CHECK(of.end(small) == nanoseconds(200));
  CHECK(of.end(large) == nanoseconds(400));
}

TEST_CASE("one that comes later takes its share from then on") {
  SharedLine of = line();
  const std::uint32_t first = of.add(SimTime{0}, 300), second = of.add(nanoseconds(200), 100);
  of.run();
  // 200 of 300 B are gone; both have 100 B then.
  CHECK(of.end(first) == nanoseconds(400));
  CHECK(of.end(second) == nanoseconds(400));
}

TEST_CASE("a line rests until something comes") {
  SharedLine of = line();
  CHECK(of.last_end() == SimTime{0});
  const std::uint32_t late = of.add(nanoseconds(1'000), 50), early = of.add(nanoseconds(10), 20);
  CHECK(of.last_end() == nanoseconds(1'050));
  of.run();
  CHECK(of.end(early) == nanoseconds(30));
  CHECK(of.end(late) == nanoseconds(1'050));
}

TEST_CASE("equal messages end together, within a picosecond of all their bytes") {
  SharedLine of = line();
  std::vector<std::uint32_t> all;
  for (int i = 0; i < 7; ++i) all.push_back(of.add(nanoseconds(5), 1'001));
  of.run();
  for (const std::uint32_t one : all) {
    CHECK(of.end(one) <= of.last_end());
    CHECK(of.end(one) > of.last_end() - SimTime{2});
  }
}

TEST_CASE("a line without a rate takes no time") {
  SharedLine of{BitRate{0}};
  const std::uint32_t one = of.add(nanoseconds(3), 1'000);
  of.run();
  CHECK(of.end(one) == nanoseconds(3));
}

}  // namespace lightrail

#include "workloads/import/goal/time_queue.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <set>
#include <utility>

namespace lightrail {
namespace {

struct Event {
  SimTime at{};
  std::uint64_t number = 0;
};

TEST_CASE("the first time comes first, and of one time the lowest number, whenever it came") {
  TimeQueue<Event> queue;
  for (const auto& [at, number] : {std::pair{30, 1}, {10, 2}, {10, 5}, {10, 3}, {30, 0}, {20, 7}})
    queue.push({picoseconds(at), static_cast<std::uint64_t>(number)});
  for (const auto& [at, number] : {std::pair{10, 2}, {10, 3}, {10, 5}, {20, 7}, {30, 0}, {30, 1}}) {
    REQUIRE_FALSE(queue.empty());
    const Event event = queue.pop();
    CHECK(event.at == picoseconds(at));
    CHECK(event.number == static_cast<std::uint64_t>(number));
  }
  CHECK(queue.empty());
}

TEST_CASE("one that comes back at its own time with its own number is next again") {
  TimeQueue<Event> queue;
  queue.push({picoseconds(10), 1});
  queue.push({picoseconds(10), 2});
  const Event first = queue.pop();
  queue.push(first);
  CHECK(queue.pop().number == 1);
  CHECK(queue.pop().number == 2);
  queue.push(first);
  CHECK(queue.pop().number == 1);
  CHECK(queue.empty());
}

TEST_CASE("a random queue gives what an ordered set gives") {
  for (const int times : {1, 20, 1'000'000}) {
    std::mt19937 random(7);
    const auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    TimeQueue<Event> queue;
    std::set<std::pair<SimTime, std::uint64_t>> expected;
    std::uint64_t next = 0;
    for (int i = 0; i < 20'000; ++i) {
      if (draw(5) < (i < 10'000 ? 3 : 2) || expected.empty()) {
        // An old number sometimes, as of what was put off; never one that waits at that time.
        const SimTime at = picoseconds(draw(times));
        const std::uint64_t number = draw(4) == 0 ? random() % (next + 1) : next;
        if (number == next) ++next;
        if (expected.emplace(at, number).second) queue.push({at, number});
        continue;
      }
      const Event event = queue.pop();
      REQUIRE(std::pair(event.at, event.number) == *expected.begin());
      expected.erase(expected.begin());
      REQUIRE(queue.empty() == expected.empty());
    }
  }
}

}  // namespace
}  // namespace lightrail

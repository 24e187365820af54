#include "workloads/import/goal/mailbox.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>

using namespace lightrail;

namespace {

std::optional<std::uint32_t> node_of(const std::optional<Mailbox::Item>& item) {
  return item ? std::optional(item->node) : std::nullopt;
}

}  // namespace

TEST_CASE("what waits is taken in the order in which it came, by sender and tag") {
  Mailbox box;
  box.put(1, 7, {.node = 10, .end = nanoseconds(5)});
  box.put(2, 7, {.node = 20, .end = {}});
  box.put(1, 8, {.node = 30, .end = {}});
  box.put(1, 7, {.node = 11, .end = nanoseconds(6)});
  const auto first = box.take(1, 7);
  REQUIRE(first);
  CHECK(first->node == 10);
  CHECK(first->end == nanoseconds(5));
  CHECK(node_of(box.take(1, 7)) == 11u);
  CHECK(node_of(box.take(1, 7)) == std::nullopt);
  CHECK(node_of(box.take(2, 7)) == 20u);
  CHECK(node_of(box.take(1, 8)) == 30u);
}

TEST_CASE("a sender and tag that were emptied can wait again, and places are used again in any order") {
  Mailbox box;
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < 5; ++i) box.put(i % 2, 0, {.node = 10 * round + i, .end = {}});
    CHECK(node_of(box.take(1, 0)) == 10 * round + 1);
    box.put(1, 0, {.node = 10 * round + 5, .end = {}});
    for (const std::uint32_t even : {0u, 2u, 4u}) CHECK(node_of(box.take(0, 0)) == 10 * round + even);
    for (const std::uint32_t odd : {3u, 5u}) CHECK(node_of(box.take(1, 0)) == 10 * round + odd);
    CHECK_FALSE(box.take(0, 0));
    CHECK_FALSE(box.take(1, 0));
  }
}

TEST_CASE("the highest sender and tag are as good as any") {
  Mailbox box;
  box.put(0xffffffff, 0xffffffff, {.node = 1, .end = {}});
  CHECK_FALSE(box.take(0xffffffff, 0));
  CHECK(node_of(box.take(0xffffffff, 0xffffffff)) == 1u);
}

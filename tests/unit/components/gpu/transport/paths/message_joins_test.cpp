#include "components/gpu/transport/paths/message_joins.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace lightrail;

TEST_CASE("a message is done with the last of its parts, from the first head to the last tail") {
  MessageJoins<std::uint64_t> joins;
  const std::uint32_t a = joins.open(7, 3), b = joins.open(8, 1);
  CHECK(!joins.done(a, nanoseconds(5), nanoseconds(9)));
  CHECK(joins.done(b, nanoseconds(6), nanoseconds(6))->message == 8);
  CHECK(!joins.done(a, nanoseconds(3), nanoseconds(4)));
  const auto whole = joins.done(a, nanoseconds(7), nanoseconds(8));
  REQUIRE(whole);
  CHECK(whole->message == 7);
  CHECK(whole->first == nanoseconds(3));
  CHECK(whole->last == nanoseconds(9));
}

TEST_CASE("numbers of messages that are done are given again, and a checkpoint keeps those that are not") {
  MessageJoins<std::uint64_t> joins;
  const std::uint32_t a = joins.open(1, 1), b = joins.open(2, 2);
  joins.done(a, SimTime{1}, SimTime{1});
  joins.done(b, SimTime{2}, SimTime{2});
  StateWriter out;
  joins.save(out);
  MessageJoins<std::uint64_t> loaded;
  StateReader in(out.bytes());
  loaded.load(in);
  CHECK(loaded.open(3, 1) == a);
  CHECK(loaded.done(b, SimTime{3}, SimTime{3})->message == 2);
}

TEST_CASE("messages of which a part is missing are told, others are not") {
  MessageJoins<std::uint64_t> joins;
  joins.open(7, 3);
  joins.done(joins.open(8, 1), SimTime{1}, SimTime{1});
  const std::uint32_t third = joins.open(9, 2);
  joins.done(third, SimTime{1}, SimTime{1});
  std::uint64_t sum = 0;
  joins.for_each_open([&](std::uint64_t message) { sum += message; });
  CHECK(sum == 16);
}

#include "components/gpu/transport/arrivals.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>

#include "network/wire/phase.hpp"

namespace lightrail {
namespace {

Expectation message(std::int64_t bytes, std::uint32_t slot) {
  Expectation e;
  e.wire_bytes = e.payload_bytes = bytes;
  e.owner = {slot, 0};
  return e;
}

}  // namespace

TEST_CASE("a message is complete at the tail of its last train") {
  Arrivals arrivals;
  const std::uint32_t flow = arrivals.expect(7, message(100, 1));
  CHECK(arrivals.add(7, 60, nanoseconds(1), nanoseconds(5)) == flow);
  CHECK(!arrivals.next(flow, nanoseconds(1)));
  arrivals.add(7, 40, nanoseconds(6), nanoseconds(9));
  auto complete = arrivals.next(flow, nanoseconds(6));
  REQUIRE(complete);
  CHECK(complete->at == nanoseconds(9));
  CHECK(complete->head == nanoseconds(1));
  CHECK(complete->owner.slot == 1);
  CHECK(!arrivals.next(flow, nanoseconds(6)));
}

TEST_CASE("bytes that come early are kept, and messages are handed out in the order of asking") {
  Arrivals arrivals;
  const std::uint32_t flow = arrivals.add(7, 150, nanoseconds(1), nanoseconds(2));
  CHECK(arrivals.add(8, 10, nanoseconds(1), nanoseconds(2)) != flow);
  arrivals.expect(7, message(100, 1));
  arrivals.expect(7, message(100, 2));
  CHECK(arrivals.next(flow, nanoseconds(50))->at == nanoseconds(50));
  CHECK(!arrivals.next(flow, nanoseconds(50)));
  arrivals.add(7, 50, nanoseconds(60), nanoseconds(61));
  CHECK(arrivals.next(flow, nanoseconds(60))->owner.slot == 2);
}

TEST_CASE("a message that is asked for late does not wait for a train of the next one") {
  Arrivals arrivals;
  arrivals.add(7, 60, nanoseconds(1), nanoseconds(5));
  arrivals.add(7, 40, nanoseconds(6), nanoseconds(9));
  arrivals.add(7, 30, nanoseconds(10), nanoseconds(20));  // of the next one, still coming in
  const std::uint32_t flow = arrivals.expect(7, message(100, 1));
  CHECK(arrivals.next(flow, nanoseconds(12))->at == nanoseconds(12));
  arrivals.expect(7, message(70, 2));
  CHECK(!arrivals.next(flow, nanoseconds(12)));
  arrivals.add(7, 40, nanoseconds(21), nanoseconds(31));
  CHECK(arrivals.next(flow, nanoseconds(21))->at == nanoseconds(31));
}

TEST_CASE("of bytes that end with a train still coming in the tail is the message's") {
  Arrivals arrivals;
  arrivals.add(7, 60, nanoseconds(1), nanoseconds(30));  // as a copy in memory: its tail is far off
  arrivals.add(7, 40, nanoseconds(2), nanoseconds(50));
  const std::uint32_t flow = arrivals.expect(7, message(60, 1));
  arrivals.expect(7, message(40, 2));
  CHECK(arrivals.next(flow, nanoseconds(12))->at == nanoseconds(30));
  CHECK(arrivals.next(flow, nanoseconds(12))->at == nanoseconds(50));
}

TEST_CASE("bytes that nobody waits for are counted, those of a message that is still coming are not") {
  Arrivals arrivals;
  CHECK(arrivals.unclaimed() == 0);
  const std::uint32_t flow = arrivals.expect(7, message(100, 1));
  arrivals.add(7, 60, nanoseconds(1), nanoseconds(2));
  arrivals.add(8, 10, nanoseconds(1), nanoseconds(2));
  CHECK(arrivals.unclaimed() == 10);
  arrivals.add(7, 60, nanoseconds(3), nanoseconds(4));  // 20 more than there should be
  CHECK(arrivals.next(flow, nanoseconds(3)));
  CHECK(arrivals.unclaimed() == 30);
}

TEST_CASE("a thousand flows keep their bytes, tails and waits while the table grows") {
  Arrivals arrivals;
  constexpr std::uint64_t count = 1000;
  for (std::uint64_t flow = 0; flow < count; ++flow) {
    if (flow % 2 == 0) arrivals.expect(flow << 32, message(100, static_cast<std::uint32_t>(flow)));
    arrivals.add(flow << 32, 60, nanoseconds(1), nanoseconds(static_cast<std::int64_t>(flow)));
  }
  CHECK(arrivals.unclaimed() == 60 * 500);
  for (std::uint64_t flow = 0; flow < count; ++flow) {
    if (flow % 2 == 1) arrivals.expect(flow << 32, message(100, static_cast<std::uint32_t>(flow)));
    const std::uint32_t place = arrivals.add(flow << 32, 40, nanoseconds(2), nanoseconds(3));
    const auto complete = arrivals.next(place, nanoseconds(2));
    REQUIRE(complete);
    CHECK(complete->owner.slot == flow);
    CHECK(complete->at == nanoseconds(std::max<std::int64_t>(3, static_cast<std::int64_t>(flow))));
    CHECK(!arrivals.next(place, nanoseconds(2)));
  }
  CHECK(arrivals.unclaimed() == 0);
}

TEST_CASE("arrivals are the same after saving and loading") {
  Arrivals arrivals, copy;
  arrivals.add(7, 150, nanoseconds(1), nanoseconds(2));
  arrivals.expect(9, message(10, 3));
  StateWriter out;
  arrivals.save(out);
  StateReader in(out.bytes());
  copy.load(in);
  const std::uint32_t seventh = copy.expect(7, message(150, 4));
  CHECK(copy.next(seventh, nanoseconds(9))->owner.slot == 4);
  const std::uint32_t ninth = copy.add(9, 10, nanoseconds(9), nanoseconds(9));
  CHECK(copy.next(ninth, nanoseconds(9))->owner.slot == 3);
}

TEST_CASE("what is thrown away is the payload of others that is in no complete message") {
  const auto flow = [](std::uint32_t from, Phase phase) {
    return flow_of(EndpointId{from}, Connection::make(0, 0, static_cast<std::uint32_t>(phase)).in_attempt(2));
  };
  Arrivals arrivals;
  const std::uint32_t place = arrivals.expect(flow(1, Phase::ring), message(100, 1));
  arrivals.expect(flow(1, Phase::ring), message(100, 1));
  CHECK(arrivals.awaited_bytes() == 200);
  arrivals.add(flow(1, Phase::ring), 130, SimTime{1}, SimTime{2});
  REQUIRE(arrivals.next(place, SimTime{2}));  // whole
  CHECK(arrivals.awaited_bytes() == 100);
  arrivals.add(flow(2, Phase::pairs), 7, SimTime{1}, SimTime{2});         // that nobody has asked for
  arrivals.add(flow(2, Phase::pairs_clear), 64, SimTime{1}, SimTime{2});  // no payload
  arrivals.add(flow(9, Phase::pairs), 500, SimTime{1}, SimTime{2});  // its own, which was never on a line
  CHECK(arrivals.drop_all(EndpointId{9}) == 37);
  CHECK(arrivals.awaited_bytes() == 0);
  CHECK(arrivals.unclaimed() == 0);
}

}  // namespace lightrail

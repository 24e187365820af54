#include "components/nic/notices.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace lightrail;

namespace {

DeferredWork work(std::uint32_t bytes, std::uint32_t port) {
  DeferredWork work;
  work.bytes = bytes, work.is_resent = 1, work.lane = 1;
  work.address = Address(EndpointId{3}, EndpointId{9}, Connection::make(2, 1, 0));
  work.set_port(port);
  return work;
}

}  // namespace

TEST_CASE("a notice says of which work it is, on the port that the work came in on") {
  Notices notices;
  const std::uint32_t number = notices.add(work(4096, 5));
  const Notices::Notice owed = notices.part_sent(number, microseconds(1)).value();
  CHECK(owed.port == 5);
  CHECK(owed.tail == microseconds(1));
  const auto sent = as<SentNotice>(owed.payload);
  CHECK(sent.bytes == 4096);
  CHECK(sent.lane == 1);
  CHECK(sent.is_resent == 1);
  CHECK(sent.address == work(4096, 5).address);
}

TEST_CASE("places of notices that are owed no longer are used again, of others never") {
  Notices notices;
  const std::uint32_t first = notices.add(work(1, 1)), second = notices.add(work(2, 2));
  CHECK(first != second);
  CHECK(notices.part_cancelled(first));
  CHECK(notices.add(work(3, 3)) == first);
  CHECK(notices.add(work(4, 4)) != second);
  CHECK(notices.part_sent(second, SimTime{0})->port == 2);
}

TEST_CASE("notices survive saving, and numbers go on as they would have") {
  Notices one, two;
  const std::uint32_t kept = one.add(work(1, 1));
  CHECK(one.part_cancelled(one.add(work(2, 2))));
  StateWriter out;
  one.save(out);
  StateReader in(out.bytes());
  two.load(in);
  CHECK(two.add(work(3, 3)) == one.add(work(3, 3)));
  CHECK(two.part_sent(kept, SimTime{0})->payload == one.part_sent(kept, SimTime{0})->payload);
}

TEST_CASE("a train whose buffer is owed comes back as it was") {
  Notices notices;
  const Frame train{.kind = MessageKind::train, .lane = 1, .bytes = 4096, .address = work(1, 1).address};
  const std::uint32_t number = notices.add(train, 3);
  const Notices::Notice owed = notices.part_sent(number, SimTime{0}).value();
  CHECK(owed.port == 3);
  CHECK(as<Frame>(owed.payload) == train);
}

TEST_CASE("a message in parts is told of when the last of them has left, at the latest tail") {
  Notices notices;
  const std::uint32_t number = notices.add(work(8192, 5), 2);
  CHECK(!notices.part_sent(number, microseconds(7)));
  const auto owed = notices.part_sent(number, microseconds(4));
  REQUIRE(owed);
  CHECK(owed->tail == microseconds(7));
  const std::uint32_t other = notices.add(work(8192, 5), 2);
  CHECK(!notices.part_cancelled(other));
  CHECK(notices.part_cancelled(other));
}

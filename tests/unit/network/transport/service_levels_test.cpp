#include <catch2/catch.hpp>
#include <cstdint>

#include "network/transport/queue_pairs.hpp"
#include "network/transport/service_levels.hpp"

using namespace lightrail;

namespace {

constexpr EndpointId gpu{0}, server{2};

Address address(std::uint32_t group_kind, EndpointId from = gpu, EndpointId to = EndpointId{1}) {
  return {from, to, Connection::make(group_kind, 0, 0)};
}

ServiceLevels levels() {
  return ServiceLevels({false, false, true});
}

}  // namespace

TEST_CASE("what no rule fits is of level 0") {
  ServiceLevels none = levels();
  CHECK(none.level_of(address(3), false) == 0);
  none.add_communicator(4, 5);
  CHECK(none.level_of(address(3), false) == 0);
  CHECK(none.level_of(address(4), false) == 5);
}

TEST_CASE("storage is known by either end, and its connections are no communicator's") {
  ServiceLevels some = levels();
  some.add_communicator(3, 5);
  some.add_storage(2);
  CHECK(some.level_of(address(3, gpu, server), false) == 2);
  CHECK(some.level_of(address(3, server, gpu), false) == 2);
  CHECK(some.level_of(address(3), false) == 5);
  CHECK(some.level_of(address(3, EndpointId{4}, EndpointId{5}), false) == 5);
}

TEST_CASE("the first rule that fits says the level") {
  ServiceLevels control_first = levels();
  control_first.add_control(1);
  control_first.add_communicator(3, 5);
  CHECK(control_first.level_of(address(3), true) == 1);
  CHECK(control_first.level_of(address(3), false) == 5);

  ServiceLevels control_last = levels();
  control_last.add_communicator(3, 5);
  control_last.add_storage(2);
  control_last.add_control(1);
  CHECK(control_last.level_of(address(3), true) == 5);
  CHECK(control_last.level_of(address(6), true) == 1);
  CHECK(control_last.level_of(address(6, server), true) == 2);
}

TEST_CASE("a job has what one of its endpoints sends or receives, in the order of the rules") {
  ServiceLevels some = levels();
  some.add_control(9);
  some.add_communicator(3, 5);
  some.add_job({EndpointId{0}, EndpointId{7}}, 11);
  some.add_job({EndpointId{7}, EndpointId{8}}, 12);
  some.add_communicator(4, 6);
  CHECK(some.level_of(address(2), false) == 11);
  CHECK(some.level_of(address(2, EndpointId{5}, EndpointId{7}), false) == 11);  // the job that came first
  CHECK(some.level_of(address(2, EndpointId{8}, EndpointId{5}), false) == 12);
  CHECK(some.level_of(address(2, EndpointId{5}, EndpointId{6}), false) == 0);  // nobody's
  CHECK(some.level_of(address(3), false) == 5);                                // a rule before the job's
  CHECK(some.level_of(address(4), false) == 11);                               // and one behind it
  CHECK(some.level_of(address(4, EndpointId{5}, EndpointId{6}), false) == 6);
  CHECK(some.level_of(address(2), true) == 9);
}

TEST_CASE("rules of a communicator hold for the queue pairs of its connections") {
  const QueuePairs pairs{.count = 2, .group_kinds = 4};
  ServiceLevels some = levels();
  some.add_communicator(3, 5);
  some.add_storage(2);
  some.add_queue_pairs(pairs);
  for (const std::uint32_t number : {1u, 2u}) {
    const auto on_pair = [&](std::uint32_t kind, EndpointId to) {
      return Address(gpu, to, pairs.of(Connection::make(kind, 0, 0), number));
    };
    CHECK(some.level_of(on_pair(3, EndpointId{1}), false) == 5);
    CHECK(some.level_of(on_pair(2, EndpointId{1}), false) == 0);
    CHECK(some.level_of(on_pair(2, server), false) == 2);
  }
}

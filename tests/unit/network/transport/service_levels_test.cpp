#include <catch2/catch.hpp>
#include <cstdint>

#include "network/transport/service_levels.hpp"

using namespace lightrail;

namespace {

constexpr std::uint32_t storage_server = 2;

DeferredWork work(std::uint32_t group_kind, MessageKind kind = MessageKind::work_request,
                  EndpointId from = EndpointId{0}, EndpointId to = EndpointId{1}) {
  DeferredWork work;
  work.kind = kind, work.lane = 7;
  work.address = Address(from, to, Connection::make(group_kind, 0, 0));
  return work;
}

ServiceLevels levels() {
  return ServiceLevels({false, false, true});
}

}  // namespace

TEST_CASE("what no rule fits is on lane 0, whatever its device said") {
  ServiceLevels none = levels();
  CHECK(none.lane_of(work(3)) == 0);
  none.add_communicator(4, 5);
  CHECK(none.lane_of(work(3)) == 0);
  CHECK(none.lane_of(work(4)) == 5);
}

TEST_CASE("storage is known by either end, and its connections are no communicator's") {
  ServiceLevels some = levels();
  some.add_communicator(3, 5);
  some.add_storage(2);
  const EndpointId gpu{0}, server{storage_server};
  CHECK(some.lane_of(work(3, MessageKind::work_request, gpu, server)) == 2);
  CHECK(some.lane_of(work(3, MessageKind::work_request, server, gpu)) == 2);
  CHECK(some.lane_of(work(3)) == 5);
  CHECK(some.lane_of(work(3, MessageKind::work_request, EndpointId{4}, EndpointId{5})) == 5);
}

TEST_CASE("the first rule that fits says the lane") {
  ServiceLevels control_first = levels();
  control_first.add_control(1);
  control_first.add_communicator(3, 5);
  CHECK(control_first.lane_of(work(3, MessageKind::control)) == 1);
  CHECK(control_first.lane_of(work(3)) == 5);

  ServiceLevels control_last = levels();
  control_last.add_communicator(3, 5);
  control_last.add_storage(2);
  control_last.add_control(1);
  CHECK(control_last.lane_of(work(3, MessageKind::control)) == 5);
  CHECK(control_last.lane_of(work(6, MessageKind::control)) == 1);
  CHECK(control_last.lane_of(work(6, MessageKind::control, EndpointId{storage_server})) == 2);
}

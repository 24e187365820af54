#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "components/switch/switch.hpp"
#include "network/port/tables.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

struct Pair {
  NetworkBed bed;
  ComponentId a = bed.add_endpoint(), b = bed.add_endpoint();
  ComponentId device;
  explicit Pair(std::shared_ptr<SwitchSpec> spec = std::make_shared<SwitchSpec>(),
                std::int64_t rate_b = 400) {
    device = bed.add(switch_kind(), std::move(spec), "leaf");
    bed.connect(a, 0, device, 0, bed.link_class(nanoseconds(10), BitRate{400'000'000'000}));
    bed.connect(b, 0, device, 1, bed.link_class(nanoseconds(10), BitRate{rate_b * 1'000'000'000}));
  }
  Payload train(std::uint32_t to, MessageKind kind = MessageKind::train) {
    return train_payload(kind, EndpointId{0}, EndpointId{to}, {}, 4096, 1);
  }
};

}  // namespace

TEST_CASE("the pipeline latency of a switch is added to the departure") {
  auto spec = std::make_shared<SwitchSpec>();
  spec->latency = nanoseconds(130);
  Pair net(spec);
  net.bed.route(net.device, SwitchRoute{{}, 0, 0, {{0}, {1}}});
  net.bed.script(net.a, SimTime{0}, 0, net.train(1));
  net.bed.run();
  REQUIRE(net.bed.trains(net.b).size() == 1);
  CHECK(net.bed.trains(net.b)[0].time == nanoseconds(150));
}

TEST_CASE("the tail of a train never leaves a switch before it has arrived") {
  Pair net(std::make_shared<SwitchSpec>(), 200);
  net.bed.route(net.device, SwitchRoute{{}, 0, 0, {{0}, {1}}});
  net.bed.script(net.b, SimTime{0}, 0,
                 net.train(0));  // 4096 B: 163,840 ps in at 200 Gb/s, 81,920 ps out at 400 Gb/s
  net.bed.run();
  REQUIRE(net.bed.trains(net.a).size() == 1);
  CHECK(net.bed.trains(net.a)[0].time == nanoseconds(20) + SimTime{163'840 - 81'920});
}

TEST_CASE("an unroutable destination names the switch and the endpoint") {
  Pair net;
  net.bed.route(net.device, SwitchRoute{{}, 0, 0, {{0}, {}}});
  net.bed.script(net.a, SimTime{0}, 0, net.train(1));
  try {
    net.bed.run();
    FAIL("no error");
  } catch (const SimulationError& e) {
    CHECK(e.component == "leaf2");
    CHECK(e.time == nanoseconds(10));
    CHECK_THAT(e.what(), Catch::Contains("no route to endpoint 1 (gpu1)"));
  }
}

TEST_CASE("a switch without routes and a destination that does not exist are errors") {
  Pair without;
  without.bed.script(without.a, SimTime{0}, 0, without.train(1));
  CHECK_THROWS_WITH(without.bed.run(), Catch::Contains("no route to endpoint 1"));
  Pair missing;
  missing.bed.script(missing.a, SimTime{0}, 0, missing.train(77));
  CHECK_THROWS_WITH(missing.bed.run(), Catch::Contains("destination endpoint 77 does not exist"));
}

TEST_CASE("a switch refuses what is not a train") {
  Pair net;
  net.bed.script(net.a, SimTime{0}, 0, net.train(1, MessageKind::work_request));
  CHECK_THROWS_WITH(net.bed.run(),
                    Catch::Contains("unexpected message 'work request' on port 0; a switch forwards trains"));
}

TEST_CASE("a control message takes the line but does not count as payload") {
  Pair net;
  net.bed.record(milliseconds(1));
  net.bed.route(net.device, SwitchRoute{{}, 0, 0, {{0}, {1}}});
  net.bed.script(net.a, SimTime{0}, 0, net.train(1, MessageKind::control));
  net.bed.script(net.a, SimTime{0}, 0, net.train(1));
  net.bed.run();
  CHECK(net.bed.arrivals(net.b).back().time == nanoseconds(20) + SimTime{81'920});
  const auto& rows = net.bed.rows(tables::link_use);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].values == std::vector<std::int64_t>{3, 0, 4096, 2 * 81'920});
}

TEST_CASE("a switch of known power writes its energy") {
  auto spec = std::make_shared<SwitchSpec>();
  spec->power = Watts{2};
  Pair net(spec);
  net.bed.record(milliseconds(1));
  net.bed.route(net.device, SwitchRoute{{}, 0, 0, {{0}, {1}}});
  net.bed.script(net.a, SimTime{0}, 0, net.train(1));
  net.bed.run();
  const auto& rows = net.bed.rows(tables::power);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].values[0] == 81'920);
  CHECK(std::bit_cast<double>(rows[0].values[1]) == 2.0 * static_cast<double>(net.bed.end().count()));
}

TEST_CASE("a switch puts a train on the lane that its table has for the train's service level") {
  Pair net;
  net.bed.route(net.device, SwitchRoute{{}, 0, 0, {{0}, {1}}});
  auto levels = std::make_shared<ServiceLevels>(std::vector<bool>{});
  levels->add_communicator(3, 5);
  levels->add_control(9);
  LaneMap map;
  map.of[0] = 0, map.of[5] = 1, map.of[9] = 1, map.count = 10;
  const auto send = [&](std::uint32_t group_kind, std::uint8_t lane, MessageKind kind) {
    net.bed.script(
        net.a, SimTime{0}, 0,
        train_payload(kind, EndpointId{0}, EndpointId{1}, Connection::make(group_kind, 0, 0), 4096, 1, lane));
  };
  send(2, 1, MessageKind::train);
  send(3, 0, MessageKind::train);
  send(3, 1, MessageKind::train);
  send(2, 0, MessageKind::control);
  Model& model = net.bed.finish_model();
  model.add<ServiceLevels>(std::move(levels));
  model.add(std::make_shared<const LaneMaps>(std::vector<LaneMap>(model.specs.size(), map)));
  net.bed.run();
  std::vector<int> lanes;
  for (const Arrival& arrival : net.bed.arrivals(net.b)) lanes.push_back(frame_in(arrival.payload).lane);
  CHECK(lanes == std::vector<int>{0, 1, 1, 1});
}

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "components/switch/switch.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// One switch: endpoint 0 below port 0; ports 4 ... 7 go up, each to a probe. Ports 4 and 5 may lack theirs.
struct Fan {
  NetworkBed bed;
  ComponentId source = bed.add_endpoint();
  std::vector<ComponentId> up;
  ComponentId device;

  explicit Fan(const std::shared_ptr<const RoutingKind>& routing, bool has_port_5 = true,
               std::uint32_t grain = 1, bool has_port_4 = true) {
    auto spec = std::make_shared<SwitchSpec>();
    spec->routing = routing;
    spec->port_rate = BitRate{8'000'000'000'000};
    spec->lanes = 1;
    spec->flowlet_gap = SimTime{5000};
    device = bed.add(switch_kind(), spec, "switch");
    auto line = bed.link_class(SimTime{100}, BitRate{8'000'000'000'000}, 1000, grain);
    bed.connect(source, 0, device, 0, line);
    for (int i = 0; i < 4; ++i) {
      up.push_back(bed.add_endpoint());
      if ((i != 1 || has_port_5) && (i != 0 || has_port_4))
        bed.connect(up.back(), 0, device, static_cast<PortIndex>(4 + i), line);
    }
    for (std::uint32_t i = 0; i < 64; ++i) bed.book().endpoints.push_back({9, Lid{100 + i}, 0, 0});
    SwitchRoute route;
    route.down = {{0, 1, 1, 0, 1}};
    route.first_up = 4;
    route.up_count = 4;
    bed.route(device, route);
  }
  void send(std::int64_t at, std::uint32_t to, std::uint32_t channel = 0, std::uint16_t packets = 1) {
    bed.script(source, SimTime{at}, 0,
               train_payload(MessageKind::train, EndpointId{0}, EndpointId{to},
                             Connection::make(0, channel, 0), 1000u * packets, packets));
  }
  /// Trains at each of the four ports.
  std::vector<std::size_t> counts() {
    std::vector<std::size_t> all;
    for (ComponentId probe : up) all.push_back(bed.trains(probe).size());
    return all;
  }
};

}  // namespace

TEST_CASE("static routing goes up by the lid modulo the up ports") {
  Fan fan(static_routing());
  for (std::uint32_t i = 0; i < 5; ++i) fan.send(1000 * i, 5 + i);  // lids 100 ... 104
  fan.bed.run();
  CHECK(fan.counts() == std::vector<std::size_t>{2, 1, 1, 1});
}

TEST_CASE("a higher tier routes by a higher digit of the lid") {
  Fan fan(static_routing());
  auto& tables = *const_cast<RoutingTables*>(fan.bed.finish_model().resource<RoutingTables>());
  tables.routes[0].down[0].lids_per_child = 4;
  for (std::uint32_t i = 0; i < 8; ++i) fan.send(1000 * i, 5 + i);  // lids 100 ... 107: digits 25 and 26
  fan.bed.run();
  CHECK(fan.counts() == std::vector<std::size_t>{0, 4, 4, 0});
}

TEST_CASE("ecmp keeps a flow on one port and spreads many flows") {
  Fan one(ecmp_routing());
  for (int i = 0; i < 40; ++i) one.send(1000 * i, 7, 3);
  one.bed.run();
  auto counts = one.counts();
  CHECK(*std::max_element(counts.begin(), counts.end()) == 40);

  Fan many(ecmp_routing());
  for (std::uint32_t i = 0; i < 200; ++i) many.send(1000 * i, 5 + i % 60, i % 7);
  many.bed.run();
  for (std::size_t n : many.counts()) CHECK((n > 20 && n < 80));
}

TEST_CASE("ecmp passes over a port without a link") {
  Fan fan(ecmp_routing(), false);
  for (std::uint32_t i = 0; i < 200; ++i) fan.send(1000 * i, 5 + i % 60, i % 7);
  fan.bed.run();
  auto counts = fan.counts();
  CHECK(counts[1] == 0);
  CHECK(counts[0] + counts[2] + counts[3] == 200);
}

TEST_CASE("adaptive routing spreads one flow evenly when it comes faster than a port drains") {
  Fan fan(adaptive_routing());
  for (int i = 0; i < 40; ++i) fan.send(250 * i, 7, 3);
  fan.bed.run();
  for (const std::size_t n : fan.counts()) CHECK((n >= 8 && n <= 12));  // two packets apart at most
}

TEST_CASE("adaptive-flow keeps a flow on its port until it pauses, though the port is loaded") {
  Fan fan(adaptive_flow_routing());
  for (int i = 0; i < 40; ++i) fan.send(250 * i, 7, 3);
  fan.bed.run();
  auto counts = fan.counts();
  CHECK(*std::max_element(counts.begin(), counts.end()) == 40);

  Fan paused(adaptive_flow_routing());
  for (std::uint32_t i = 0; i < 8; ++i) paused.send(0, 7, 10 + i);  // eight flows, two a port
  for (std::uint32_t i = 0; i < 8; ++i) paused.send(9000, 7, 10 + i);
  paused.bed.run();
  CHECK(paused.counts() == std::vector<std::size_t>{4, 4, 4, 4});
}

// Trains of 12 packets take 12,000 ps; the last packet comes 11,000 after the first. The gap is 5,000.
TEST_CASE("adaptive-flow counts a pause from the last packet of a train") {
  Fan fan(adaptive_flow_routing(), true, 12);
  for (int i = 0; i < 40; ++i) fan.send(16'000 * i, 7, 3, 12);
  fan.bed.run();
  auto counts = fan.counts();
  CHECK(*std::max_element(counts.begin(), counts.end()) == 40);

  Fan paused(adaptive_flow_routing(), true, 12);
  for (int i = 0; i < 40; ++i) paused.send(16'001 * i, 7, 3, 12);
  paused.bed.run();
  counts = paused.counts();
  CHECK(*std::max_element(counts.begin(), counts.end()) < 40);
}

// Trains of two flows that take turns stand for packets that do: a train's packets are spread evenly until
// its flow's next one. So 12 packets may be 12 gaps of 5,000 apart, and a single one as before.
TEST_CASE("adaptive-flow spreads the packets of trains that take turns with others over the time between") {
  const auto is_on_one_port = [](bool has_other, std::uint16_t packets, std::int64_t every) {
    Fan fan(adaptive_flow_routing(), true, packets);
    for (int i = 0; i < 40; ++i) {
      fan.send(every * i, 7, 3, packets);
      if (has_other) fan.send(every * i + every / 2, 7, 4, packets);
    }
    fan.bed.run();
    const std::vector<std::size_t> counts = fan.counts();
    // Either flow has 40 trains.
    return std::all_of(counts.begin(), counts.end(), [](std::size_t n) { return n % 40 == 0; });
  };
  CHECK(is_on_one_port(true, 12, 24'000));  // as packets that take turns, 2,000 apart
  CHECK_FALSE(is_on_one_port(false, 12, 24'000));
  CHECK(is_on_one_port(true, 12, 60'000));
  CHECK_FALSE(is_on_one_port(true, 12, 60'012));
  CHECK(is_on_one_port(true, 1, 5'000));
  CHECK_FALSE(is_on_one_port(true, 1, 5'001));
}

// A train that waits in the switch stands for packets that its sender lacks credits for. Eight others keep
// every port until 24,000, the flow's own train one until 36,000: its last packet leaves at 35,000.
TEST_CASE("adaptive-flow sees no pause while the last train of a flow has not left for the gap") {
  const auto stays = [](std::int64_t next) {
    Fan fan(adaptive_flow_routing(), true, 12);
    for (std::int64_t round = 0; round < 40; ++round) {
      const std::int64_t begin = 1'000'000 * round;
      for (std::uint32_t flow = 3; flow < 11; ++flow) fan.send(begin, 8, flow, 12);  // two a port
      for (const std::int64_t at : {std::int64_t{1}, next}) fan.send(begin + at, 7, 3, 12);
    }
    fan.bed.run();
    std::map<std::int64_t, int> ports_of_round;
    for (const ComponentId port : fan.up) {
      std::set<std::int64_t> rounds;
      for (const auto& train : fan.bed.trains(port))
        if (as<Frame>(train.payload).address.to() == EndpointId{7})
          rounds.insert(train.time.count() / 1'000'000);
      for (const std::int64_t round : rounds) ++ports_of_round[round];
    }
    return std::all_of(ports_of_round.begin(), ports_of_round.end(),
                       [](const auto& of) { return of.second == 1; });
  };
  CHECK(stays(39'999));
  CHECK_FALSE(stays(40'003));
}

// Ports without any load are alike: 400 draws of one in four give 100 each, with a standard deviation of
// sqrt(400 * 1/4 * 3/4) = 8.7. Five of them are 43.
TEST_CASE("adaptive routing draws among ports that are equally loaded, whatever the flow") {
  Fan fan(adaptive_routing());
  for (int i = 0; i < 400; ++i) fan.send(2000 * i, 7, 3);
  fan.bed.run();
  for (const std::size_t n : fan.counts()) CHECK((n > 57 && n < 143));
}

// Four hosts that send as fast as a line find the same port free each time, if the least loaded is meant to
// the picosecond: then each stays on one port, and what two of them have to the same place meets for good.
TEST_CASE("adaptive routing spreads each of several flows that together fill the lines") {
  Fan fan(adaptive_routing());
  for (int i = 0; i < 400; ++i)
    for (std::uint32_t flow = 0; flow < 4; ++flow) fan.send(1000 * i + 250 * flow, 7 + flow, flow);
  fan.bed.run();
  for (ComponentId port : fan.up) {
    std::map<std::uint32_t, int> of;
    for (const auto& train : fan.bed.trains(port)) ++of[as<Frame>(train.payload).address.to().value];
    for (std::uint32_t flow = 0; flow < 4; ++flow) CHECK((of[7 + flow] > 50 && of[7 + flow] < 160));
  }
}

TEST_CASE("adaptive routing does so where the first port has no link") {
  Fan fan(adaptive_routing(), true, 1, false);
  for (int i = 0; i < 400; ++i)
    for (std::uint32_t flow = 0; flow < 3; ++flow) fan.send(1000 * i + 333 * flow, 7 + flow, flow);
  fan.bed.run();
  CHECK(fan.counts()[0] == 0);
  for (std::size_t up = 1; up < 4; ++up) {
    std::map<std::uint32_t, int> of;
    for (const auto& train : fan.bed.trains(fan.up[up])) ++of[as<Frame>(train.payload).address.to().value];
    for (std::uint32_t flow = 0; flow < 3; ++flow) CHECK(of[7 + flow] > 20);  // of 133
  }
}

TEST_CASE("adaptive routing gives every idle port one of as many trains that come at once") {
  Fan fan(adaptive_routing());
  for (std::uint32_t i = 0; i < 4; ++i) fan.send(0, 7 + i, i);
  fan.bed.run();
  CHECK(fan.counts() == std::vector<std::size_t>{1, 1, 1, 1});
}

TEST_CASE("spraying gives what goes to one destination to the ports in turn, whatever the flow") {
  for (const std::uint16_t packets : {std::uint16_t{1}, std::uint16_t{12}}) {
    Fan fan(spray_routing(), true, packets);
    for (std::uint32_t i = 0; i < 40; ++i) fan.send(16'000 * i, 7, i, packets);
    fan.bed.run();
    CHECK(fan.counts() == std::vector<std::size_t>{10, 10, 10, 10});
  }
}

// Of two destinations, whose trains come faster than lines drain.
TEST_CASE("sprayed trains that look at loads still give every port as many") {
  for (const std::int64_t every : {std::int64_t{900}, std::int64_t{2900}}) {
    Fan fan(spray_routing(), true, 12);
    for (std::uint32_t i = 0; i < 400; ++i) fan.send(every * i, i % 3 == 0 ? 7 : 8, 3, 12);
    fan.bed.run();
    INFO(every);
    for (const std::size_t n : fan.counts()) CHECK((n >= 98 && n <= 102));
  }
}

// The line to one port is taken by a train to somebody else. A train of two packets would have put one on it
// and one on the next: it goes to the next, and the port has the one behind. A single packet waits.
TEST_CASE("a sprayed train takes the least loaded of the ports that its packets would take") {
  for (const auto& [packets, first] : {std::pair{std::uint16_t{1}, true}, {std::uint16_t{2}, false}}) {
    Fan alone(spray_routing(), true, packets);
    alone.send(20'000, 7, 3, packets);
    alone.bed.run();
    const std::vector<std::size_t> port = alone.counts();
    const auto own = static_cast<std::uint32_t>(std::find(port.begin(), port.end(), 1) - port.begin());

    // Somebody whose first train goes there, too.
    std::uint32_t other = 8;
    for (; other < 60; ++other) {
      Fan fan(spray_routing(), true, packets);
      fan.send(20'000, other, 3, packets);
      fan.bed.run();
      if (fan.counts() == port) break;
    }
    REQUIRE(other < 60);
    Fan fan(spray_routing(), true, packets);
    fan.send(20'000, other, 3, packets);
    for (const std::int64_t at : {20'100, 30'000}) fan.send(at, 7, 3, packets);
    fan.bed.run();
    INFO(packets);
    CHECK(fan.counts()[own] == 2);
    CHECK(fan.counts()[(own + 1) % 4] == 1);
    const auto to_own = fan.bed.trains(fan.up[own]), to_next = fan.bed.trains(fan.up[(own + 1) % 4]);
    CHECK((to_own[1].time < to_next[0].time) == first);
  }
}

// Port 5 has no link: its quarter goes to the next port.
TEST_CASE("spraying gives trains to the ports in turn, load or not") {
  Fan even(spray_routing());
  for (int i = 0; i < 40; ++i) even.send(i % 3 == 0 ? 2000 * i : 2000 * (i - i % 3), 7, 3);
  even.bed.run();
  CHECK(even.counts() == std::vector<std::size_t>{10, 10, 10, 10});

  Fan rest(spray_routing());
  for (int i = 0; i < 42; ++i) rest.send(2000 * i, 7, 3);
  rest.bed.run();
  for (const std::size_t n : rest.counts()) CHECK((n == 10 || n == 11));

  Fan lame(spray_routing(), false);
  for (int i = 0; i < 40; ++i) lame.send(2000 * i, 7, 3);
  lame.bed.run();
  CHECK(lame.counts() == std::vector<std::size_t>{10, 0, 20, 10});
}

TEST_CASE("what a routing has drawn and whose turn it is are part of its state") {
  for (const auto& kind :
       {adaptive_routing(), adaptive_notified_routing(), adaptive_flow_routing(), spray_routing()}) {
    INFO(kind->name);
    Fan whole(kind), saved(kind);
    for (Fan* fan : {&whole, &saved})
      for (std::uint32_t i = 0; i < 60; ++i) fan->send(6000 * i, 5 + i % 3);
    whole.bed.run();
    saved.bed.run(SimTime{100'000});
    for (std::size_t port = 0; port < 4; ++port) {
      const auto one = whole.bed.trains(whole.up[port]), two = saved.bed.trains(saved.up[port]);
      REQUIRE(one.size() == two.size());
      for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i].time == two[i].time);
    }
  }
}

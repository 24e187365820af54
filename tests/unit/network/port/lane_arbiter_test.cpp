#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "components/switch/switch.hpp"
#include "network/port/lane_arbiter.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

LaneWeights one_to_three() {
  return {{1, 3, 1, 1, 1, 1, 1, 1}};
}

/// Lanes that send next, always `bytes` of those lanes that have something.
std::vector<std::uint32_t> turns(LaneArbiter& arbiter, std::array<std::uint32_t, max_lanes> bytes,
                                 int count) {
  std::vector<std::uint32_t> all;
  for (int i = 0; i < count; ++i)
    all.push_back(arbiter.next([&](std::uint32_t lane) { return bytes[lane]; }));
  return all;
}

/// Two probes send to a third through two switches in a row, each on a lane of its own and each as fast as
/// the line between the switches: 100 B take 80 ps on every line.
struct Overload {
  NetworkBed bed;
  ComponentId p0 = bed.add_endpoint(), p1 = bed.add_endpoint(), to = bed.add_endpoint();

  Overload(std::int64_t buffer, int trains_of_p0, int trains_of_p1, SimTime latency = {}, int every = 1) {
    auto spec = std::make_shared<SwitchSpec>();
    spec->buffer = Bytes{buffer};
    spec->lanes = 2;
    spec->latency = latency;
    spec->port_rate = BitRate{10'000'000'000'000};
    const ComponentId s0 = bed.add(switch_kind(), spec, "switch"),
                      s1 = bed.add(switch_kind(), spec, "switch");
    const auto line = bed.link_class(SimTime{1000}, BitRate{10'000'000'000'000}, 100, 1);
    bed.connect(p0, 0, s0, 0, line);
    bed.connect(s0, 1, s1, 0, line);
    bed.connect(p1, 0, s0, 2, line);
    bed.connect(s1, 1, to, 0, line);
    for (const ComponentId s : {s0, s1}) bed.route(s, SwitchRoute{{}, 0, 0, {{0}, {2}, {1}}});
    send(p0, 0, trains_of_p0);
    send(p1, 1, trains_of_p1, every);
  }
  void send(ComponentId probe, std::uint8_t lane, int trains, int every = 1) {
    for (int i = 0; i < trains; ++i)
      bed.script(probe, SimTime{80 * i * every}, 0,
                 train_payload(MessageKind::train, EndpointId{lane}, EndpointId{2}, {}, 100, 1, lane));
  }
  std::vector<std::uint8_t> lanes() {
    std::vector<std::uint8_t> all;
    for (const Arrival& arrival : bed.trains(to)) all.push_back(as<Train>(arrival.payload).lane);
    return all;
  }
};

}  // namespace

TEST_CASE("lanes that always have something share by their weights") {
  LaneArbiter arbiter(one_to_three(), 100);
  const auto all = turns(arbiter, {100, 100}, 400);
  CHECK(std::count(all.begin(), all.end(), 0u) == 100);
  CHECK(std::count(all.begin(), all.end(), 1u) == 300);
  for (std::size_t i = 0; i + 4 <= all.size(); ++i)
    CHECK(std::count(all.begin() + static_cast<int>(i), all.begin() + static_cast<int>(i) + 4, 0u) == 1);
}

TEST_CASE("it is bytes that lanes share, not trains") {
  LaneArbiter arbiter(one_to_three(), 100);
  const auto all = turns(arbiter, {100, 25}, 1300);  // 1 x 100 B to 12 x 25 B
  CHECK(std::count(all.begin(), all.end(), 0u) == 100);
}

TEST_CASE("a lane alone has all turns, and none is given to nobody") {
  LaneArbiter arbiter(one_to_three(), 100);
  CHECK(turns(arbiter, {0, 0, 0, 0, 0, 60}, 3) == std::vector<std::uint32_t>{5, 5, 5});
  CHECK(arbiter.next([](std::uint32_t) { return 0u; }) == LaneArbiter::none);
}

TEST_CASE("a lane that had nothing to send has no more than its share afterwards") {
  LaneArbiter arbiter(one_to_three(), 100);
  (void)turns(arbiter, {100, 0}, 50);
  const auto all = turns(arbiter, {100, 100}, 40);
  CHECK(std::count(all.begin(), all.end(), 1u) == 30);
}

TEST_CASE("two lanes of weights 1 and 3 share an overloaded line of a switch 1:3") {
  const SimTime save_at = GENERATE(time_never, SimTime{1500}, SimTime{2000}, SimTime{2080}, SimTime{2100});
  Overload net(100'000, 100, 200);
  net.bed.set_weights(one_to_three());
  net.bed.run(save_at);
  const auto lanes = net.lanes();
  REQUIRE(lanes.size() == 300);
  for (std::size_t i = 1; i + 4 <= 250; ++i)  // as long as both have something
    CHECK(std::count(lanes.begin() + static_cast<int>(i), lanes.begin() + static_cast<int>(i) + 4, 0) == 1);
  // No gap: the line is as busy as without weights.
  const auto arrivals = net.bed.trains(net.to);
  CHECK(arrivals.back().time - arrivals.front().time == SimTime{80 * 299});
}

TEST_CASE("without weights the same line is first come, first served") {
  Overload net(100'000, 100, 200);
  net.bed.run();
  const auto lanes = net.lanes();
  REQUIRE(lanes.size() == 300);
  CHECK(std::count(lanes.begin(), lanes.begin() + 200, 0) == 100);
}

TEST_CASE("weights neither hold up a lane alone nor pass credits") {
  const std::int64_t buffer = GENERATE(100, 100'000);
  Overload plain(buffer, 50, 0), weighted(buffer, 50, 0);
  weighted.bed.set_weights(one_to_three());
  plain.bed.run();
  weighted.bed.run();
  const auto a = plain.bed.trains(plain.to), b = weighted.bed.trains(weighted.to);
  REQUIRE(a.size() == 50);
  REQUIRE(b.size() == 50);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].time == b[i].time);
  CHECK(weighted.bed.waits().empty());
}

TEST_CASE("a line with weights is not given to a train that is not ready") {
  // A pipeline of three trains' times; the second lane has one train for four of the first.
  Overload net(100'000, 200, 50, SimTime{240}, 4);
  net.bed.set_weights(one_to_three());
  net.bed.run();
  const auto arrivals = net.bed.trains(net.to);
  REQUIRE(arrivals.size() == 250);
  CHECK(arrivals.back().time - arrivals.front().time == SimTime{80 * 249});
}

TEST_CASE("no weight is too large for long trains") {
  LaneArbiter arbiter({{1, 16, 1, 1, 1, 1, 1, 1}}, 1u << 28);
  const auto all = turns(arbiter, {1u << 28, 1u << 28}, 17 * 4);
  CHECK(std::count(all.begin(), all.end(), 0u) == 4);
}

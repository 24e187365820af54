#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "network/port/tables.hpp"
#include "network/port/trains_per_message.hpp"
#include "tests/model/network/clos_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// 4,096 B at 400 Gb/s.
constexpr SimTime packet{81'920};

SimTime last_tail(const NetworkBed& bed, ComponentId probe, SimTime busy) {
  auto got = bed.trains(probe);
  REQUIRE(!got.empty());
  return got.back().time + busy;
}

/// Probe - n switches in a row - probe; `rates` of the n + 1 links in Gb/s, each of 100 ns.
struct Chain {
  NetworkBed bed;
  ComponentId source = bed.add_endpoint(), target = bed.add_endpoint();
  explicit Chain(const std::vector<std::int64_t>& rates, SimTime latency, std::uint32_t grain = 1) {
    auto spec = std::make_shared<SwitchSpec>();
    spec->latency = latency;
    ComponentId before = source;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      auto line = bed.link_class(nanoseconds(100), BitRate{rates[i] * 1'000'000'000}, 4096, grain);
      ComponentId next = i + 1 == rates.size() ? target : bed.add(switch_kind(), spec, "switch");
      bed.connect(before, i == 0 ? 0 : 1, next, 0, line);
      if (i + 1 < rates.size()) bed.route(next, SwitchRoute{{}, 0, 0, {{0}, {1}}});
      before = next;
    }
  }
  void send(SimTime at, std::uint32_t packets = 1) {
    bed.script(source, at, 0,
               train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, packets * 4096,
                             static_cast<std::uint16_t>(packets)));
  }
};

}  // namespace

// One train, n equal switches: head = (n + 1) * wire + n * pipeline; cut-through, so no serialisation on the
// way.
TEST_CASE("one train over n hops takes the latencies and one serialisation") {
  for (std::size_t n : {1, 2, 5, 9}) {
    Chain chain(std::vector<std::int64_t>(n + 1, 400), nanoseconds(130), 16);
    chain.send(nanoseconds(7), 16);
    chain.bed.run();
    auto hops = static_cast<std::int64_t>(n);
    CHECK(last_tail(chain.bed, chain.target, packet * 16) ==
          nanoseconds(7) + nanoseconds(100) * (hops + 1) + nanoseconds(130) * hops + packet * 16);
  }
}

// Slow to fast: at each step up in rate the head waits until the tail cannot overtake; the last tail is that
// of store-and-forward over the slowest line and cut-through elsewhere.
TEST_CASE("a tail never overtakes the slowest line before it") {
  // 100, 200, 400 Gb/s: 4,096 B take 327,680, 163,840, 81,920 ps.
  Chain chain({100, 200, 400}, SimTime{0});
  chain.send(SimTime{0});
  chain.bed.run();
  CHECK(last_tail(chain.bed, chain.target, SimTime{81'920}) == nanoseconds(300) + SimTime{327'680});
}

TEST_CASE("from a fast to a slow line the head goes on at once and the slow line counts") {
  Chain chain({400, 200, 100}, SimTime{0});
  chain.send(SimTime{0});
  chain.bed.run();
  CHECK(last_tail(chain.bed, chain.target, SimTime{327'680}) == nanoseconds(300) + SimTime{327'680});
}

// Message of k packets through two NICs and three switches, all lines of one rate:
// T = 2 pcie + 2 host + 2 trunk + 3 pipelines + k * packet.
TEST_CASE("a message of k trains takes the path once and k serialisations") {
  for (std::uint32_t k : {1u, 2u, 64u, 1000u}) {
    for (std::uint32_t grain : {1u, 8u, 16u}) {
      ClosShape shape;
      shape.grain = grain;
      shape.latency = nanoseconds(130);
      shape.buffer = 4096 * 128;
      ClosBed net(shape);
      net.post(SimTime{0}, 0, 7, 4096 * k);
      net.bed.finish_model().add(std::make_shared<const TrainsPerMessage>(TrainsPerMessage{1}));
      net.bed.run();
      auto got = net.bed.trains(net.probes[7]);
      REQUIRE(got.size() == (k + grain - 1) / grain);
      SimTime path = nanoseconds(2 * 200 + 2 * 100 + 2 * 150 + 3 * 130);
      CHECK(got.back().time + packet * as<Train>(got.back().payload).packets == path + packet * k);
    }
  }
}

// Two senders, one receiver: the receiver's line is the bottleneck and never pauses.
TEST_CASE("an incast of two into one keeps the line full and shares it evenly") {
  ClosShape shape;
  shape.routing = adaptive_routing();
  shape.buffer = 4096 * 64;
  ClosBed net(shape);
  constexpr std::uint32_t k = 500;
  net.post(SimTime{0}, 0, 7, 4096 * k);
  net.post(SimTime{0}, 1, 7, 4096 * k);
  net.bed.run();
  auto got = net.bed.trains(net.probes[7]);
  REQUIRE(got.size() == 2 * k);
  for (std::size_t i = 1; i < got.size(); ++i) REQUIRE(got[i].time - got[i - 1].time == packet);
  CHECK(got.front().time == nanoseconds(2 * 200 + 2 * 100 + 2 * 150));
  std::size_t of_first = 0;
  for (std::size_t i = 0; i < k; ++i) of_first += frame_in(got[i].payload).address.from().value == 0;
  CHECK(of_first > k * 2 / 5);
  CHECK(of_first < k * 3 / 5);
}

// n senders of k packets each, near and far, to one receiver: its line is full from the first head on, so
// that the last of n k packets comes n k - 1 lines behind it. Shares are even among the inputs of
// the last switch and not among senders, of which several come in by one.
TEST_CASE("an incast of n to one takes n messages' time of the receiver's line, whatever the routing") {
  for (const auto& routing : {static_routing(), ecmp_routing(), adaptive_routing()})
    for (const std::uint32_t n : {2u, 5u, 11u}) {
      ClosShape shape;
      shape.leaves = 3;
      shape.routing = routing;
      shape.buffer = 4096 * 64;
      ClosBed net(shape);
      constexpr std::uint32_t k = 120;
      for (std::uint32_t from = 0; from < n; ++from) net.post(SimTime{0}, from, 11, 4096 * k);
      net.bed.run();
      const auto got = net.bed.trains(net.probes[11]);
      REQUIRE(got.size() == std::size_t{n} * k);
      CHECK(got.back().time == got.front().time + packet * (n * k - 1));
    }
}

// A line of round trip R between buffers of B bytes carries at most B per R + packet; with B = 1 packet
// exactly that.
TEST_CASE("a buffer smaller than the round trip limits the rate by the round trip") {
  ClosShape shape;
  shape.leaves = 1;
  shape.spines = 1;
  shape.buffer = 4096;
  ClosBed net(shape);
  net.post(SimTime{0}, 0, 1, 4096 * 10);
  net.bed.run();
  auto got = net.bed.trains(net.probes[1]);
  REQUIRE(got.size() == 10);
  for (std::size_t i = 1; i < got.size(); ++i)
    CHECK(got[i].time - got[i - 1].time == nanoseconds(200) + packet);
}

// The same of 19 packets over a way of 20 us, of the cable or in the switch: 19 of them per R + packet, none
// withheld. Batches of a quarter, five packets, would leave four of them withheld.
TEST_CASE("over a long way a buffer is sent whole in every round trip") {
  for (const SimTime in_switch : {SimTime{0}, microseconds(20)}) {
    ClosShape shape;
    shape.leaves = 1;
    shape.spines = 1;
    shape.buffer = 4096 * 19;
    shape.latency = in_switch;
    if (in_switch == SimTime{0}) shape.host_link = microseconds(20);
    ClosBed net(shape);
    net.post(SimTime{0}, 0, 1, 4096 * 100);
    net.bed.run();
    auto got = net.bed.trains(net.probes[1]);
    REQUIRE(got.size() == 100);
    for (std::size_t i = 19; i < got.size(); ++i)
      CHECK(got[i].time - got[i - 19].time == 2 * shape.host_link + in_switch + packet);
  }
}

// link_use of the whole run: the bytes and busy time of every hop are those of the message.
TEST_CASE("every hop's link use is the message, to the byte and the picosecond") {
  ClosShape shape;
  shape.grain = 4;
  ClosBed net(shape);
  net.bed.record(microseconds(1));
  net.post(SimTime{0}, 0, 7, 4096 * 100);
  net.bed.run();
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> by_link;
  for (const Row& row : net.bed.rows(tables::link_use)) {
    by_link[row.values[0]].first += row.values[2];
    by_link[row.values[0]].second += row.values[3];
    CHECK(row.values[3] <= 1'000'000);  // no line is busy longer than an interval
  }
  CHECK(by_link.size() == 5);  // nic, leaf, spine, leaf, nic
  for (const auto& [link, use] : by_link) {
    CHECK(use.first == 409'600);
    CHECK(use.second == packet.count() * 100);
  }
}

#include "components/ethernet-switch/ethernet_switch.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/transfer_time.hpp"
#include "network/port/pause/tables.hpp"
#include "tests/support/ethernet_star.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr std::int64_t giga = EthernetStar::giga;
constexpr SimTime packet{81'920};  ///< of 4,096 B at 400 Gb/s

/// When the last byte of what `from` sent arrived at endpoint `to`.
SimTime last(const EthernetStar& star, std::uint32_t to, std::uint32_t from) {
  SimTime time{};
  for (const Arrival& a : star.bed.trains(star.gpus[to]))
    if (frame_in(a.payload).address.from() == EndpointId{from}) time = a.time;
  return time;
}

}  // namespace

TEST_CASE("the pipeline of an Ethernet switch is added, and costs no event") {
  EthernetStar star;
  star.spec->latency = nanoseconds(560);
  star.build(2);
  star.post(0, 1, 4096 * 2);
  star.bed.run();
  const auto got = star.bed.trains(star.gpus[1]);
  REQUIRE(got.size() == 2);
  // PCIe 200 ns, cable 50, pipeline, cable 50, PCIe 200; the PCIe of the sink is twice as fast, so its heads
  // wait for the fabric's tails.
  CHECK(got[0].time == nanoseconds(200 + 50 + 560 + 50 + 200) + packet / 2);
  CHECK(got[1].time == got[0].time + packet);
  // The work request, then NIC (two wakes), switch, NIC and probe for each packet.
  CHECK(star.bed.events() == 1 + 1 + 2 * 3);
}

TEST_CASE("a class that is paused lets another one of the same port go on") {
  // Class 0 fills the line to sink 2, of which no more than 40 Gb/s leave by PCIe; class 1 goes to sink 3.
  for (const bool has_own_class : {true, false}) {
    EthernetStar star;
    star.lanes = 2;
    star.spec->lossless = "0,1";
    star.spec->buffer = Bytes{2 << 20};
    star.pcie = {BitRate{800 * giga}, BitRate{800 * giga}, BitRate{40 * giga}, BitRate{800 * giga}};
    star.build(4);
    star.post(0, 2, 4096 * 2000);
    star.post(0, 3, 4096 * 1000, has_own_class ? 1 : 0, microseconds(40));
    star.bed.run();
    CHECK(star.bed.trains(star.gpus[2]).size() == 2000);
    CHECK(star.bed.trains(star.gpus[3]).size() == 1000);
    const SimTime taken = last(star, 3, 0) - microseconds(40);
    const SimTime at_line_rate = packet * 1000;
    // Behind packets of the slow sink one packet of each goes by turns: 40 Gb/s for both.
    if (has_own_class)
      CHECK(taken < at_line_rate * 13 / 10);
    else
      CHECK(taken > at_line_rate * 5);
  }
}

TEST_CASE("classes that want one line have equal shares, or those of their weights") {
  for (const std::uint8_t weight : {std::uint8_t{1}, std::uint8_t{3}}) {
    EthernetStar star;
    star.lanes = 2;
    star.spec->lossless = "0,1";
    star.spec->buffer = Bytes{2 << 20};
    star.build(3);
    LaneWeights weights;
    weights.of[1] = weight;
    star.bed.set_weights(weights);
    star.post(0, 2, 4096 * 1200, 0);
    star.post(1, 2, 4096 * 1200, 1);
    star.bed.run();
    // When class 1 has ended, class 0 has sent 1 / weight as much; with equal weights both end together.
    const auto got = star.bed.trains(star.gpus[2]);
    const SimTime end = last(star, 2, 1);
    const auto others = std::count_if(got.begin(), got.end(), [&](const Arrival& a) {
      return frame_in(a.payload).address.from() == EndpointId{0} && a.time < end;
    });
    CHECK(static_cast<double>(others) == Approx(1200.0 / weight).margin(20));
  }
}

TEST_CASE("congested ports have alpha B / (1 + n alpha) of the memory each, and their headroom") {
  // Each of n senders has a slow sink of its own, so n ingress accounts fill.
  for (const std::uint32_t n : {1u, 3u}) {
    EthernetStar star;
    star.spec->alpha = 0.5;
    star.spec->class_reserve = Bytes{0};
    star.spec->buffer = Bytes{8 << 20};
    star.pcie.assign(2 * n, BitRate{800 * giga});
    for (std::uint32_t k = 0; k < n; ++k) star.pcie[n + k] = BitRate{80'000'000};
    star.build(2 * n);
    star.bed.record(milliseconds(1));
    for (std::uint32_t k = 0; k < n; ++k) star.post(k, n + k, 4096 * 4000);
    star.bed.run();
    const PortEnd end{.out_rate = BitRate{400 * giga},
                      .in_rate = BitRate{400 * giga},
                      .round_trip = nanoseconds(100),
                      .mtu_bytes = 4096};
    const std::int64_t headroom = headroom_bytes(end, pause_reaction(end.in_rate));
    const double shared = static_cast<double>((8 << 20) - 2 * n * headroom);
    for (const Row& row : star.bed.rows(tables::buffer)) {
      if (row.component != star.device || row.values[0] < 0 || row.values[0] >= n) continue;
      const double normal = static_cast<double>(row.values[2] - row.values[3]);
      CHECK(normal == Approx(0.5 * shared / (1 + 0.5 * n)).margin(2 * 4096));
      CHECK(row.values[3] > 0);
      CHECK(row.values[3] <= headroom);
    }
  }
}

TEST_CASE("a NIC of credits and an Ethernet switch do not understand each other") {
  EthernetStar star;
  star.build(2);
  const ComponentId stranger = star.bed.add(nic_kind(), std::make_shared<NicSpec>(), "nic");
  star.bed.connect(stranger, 0, star.device, 2, star.bed.link_class(nanoseconds(50), BitRate{400 * giga}));
  CHECK_THROWS_WITH(star.bed.run(), Catch::Contains("port 2 pauses its senders (PFC), and the device at its "
                                                    "far end has another flow control"));
}

TEST_CASE("mistakes in an element of an Ethernet switch have its file and line") {
  Element element;
  element.name = "ethernet-switch";
  element.attributes = {{"lossless", "7", "x.xml", 3}, {"routing", "adaptiv", "x.xml", 4}};
  ErrorList errors;
  static_cast<void>(ethernet_switch_kind()->make_spec(element, errors));
  std::vector<std::string> texts;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& e) {
    for (const InputError& error : e.errors()) texts.push_back(to_string(error));
  }
  REQUIRE(texts.size() == 2);
  CHECK_THAT(texts[0], Catch::Contains("x.xml:4: <ethernet-switch> attribute 'routing'"));
  CHECK(texts[1] ==
        "x.xml:3: <ethernet-switch> attribute 'lossless': there is no class 7: the device has 2 lanes");
}

// Pauses between real devices: sources and sinks behind NICs around one Ethernet switch.
#include "network/port/pause/pause_receiver.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/base/transfer_time.hpp"
#include "network/port/pause/pause_frame.hpp"
#include "network/port/pause/tables.hpp"
#include "tests/support/ethernet_star.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Source 0 sends to sink 1, whose PCIe takes next to nothing: the sink pauses the switch, the switch's
/// memory fills at line rate, and it pauses the source.
struct Wall {
  EthernetStar star;

  Wall(std::int64_t gbps, SimTime cable, std::int64_t headroom, std::uint32_t grain = 1) {
    star.gbps = gbps, star.cable = cable, star.grain = grain;
    star.pcie = {BitRate{gbps * 2 * EthernetStar::giga}, BitRate{8'000'000}};
    star.spec->alpha = 0, star.spec->class_reserve = Bytes{0};
    star.spec->headroom = Bytes{headroom};
    star.spec->buffer = Bytes{2 * headroom + 4096 * 1024};
    star.build(2);
    star.bed.record(milliseconds(1));
    star.post(0, 1, 4096 * 3000);
  }
  /// Most that the headroom of the source's port held [B].
  std::int64_t run() {
    star.bed.run();
    for (const Row& row : star.bed.rows(tables::buffer))
      if (row.component == star.device && row.values[0] == 0) return row.values[3];
    return -1;
  }
};

/// Closed form. The packet that fills the memory is here at t, and the frame leaves at once; it is heard at
/// t + frame + cable, and packets begin until the reaction is over. From one packet's start to the next it
/// takes p, and a packet that begins when its turn is at the very end does not:
///   ceil((frame + 2 cable + reaction) / p) - 1 packets come behind it.
std::int64_t packets_on_their_way(std::int64_t gbps, SimTime cable) {
  const BitRate rate{gbps * EthernetStar::giga};
  const SimTime window =
      transfer_time(Bytes{PauseFrame::wire_bytes}, rate) + cable + cable + pause_reaction(rate);
  const SimTime packet = transfer_time(Bytes{4096}, rate);
  return (window.count() + packet.count() - 1) / packet.count() - 1;
}

}  // namespace

TEST_CASE("a headroom of what is on its way just suffices, whatever the rate and the cable") {
  for (const std::int64_t gbps : {100, 200, 400, 800})
    for (const std::int64_t metres : {1, 10, 100, 300}) {
      const SimTime cable = nanoseconds(5 * metres);
      const std::int64_t needed = packets_on_their_way(gbps, cable) * 4096;
      INFO(gbps << " Gb/s, " << metres << " m: " << needed << " B");
      Wall enough(gbps, cable, needed);
      CHECK(enough.run() == needed);
      CHECK(enough.star.bed.trains(enough.star.gpus[1]).size() == 3000);  // all arrive, once
      Wall short_of(gbps, cable, needed - 1);
      CHECK_THROWS_WITH(short_of.run(), Catch::Contains("4096 B of lossless class 0 at port 0 are lost"));
      // The rule counts with a packet that the pause has to wait for, and with one that has just begun.
      const PortEnd end{.out_rate = BitRate{gbps * EthernetStar::giga},
                        .in_rate = BitRate{gbps * EthernetStar::giga},
                        .round_trip = cable + cable,
                        .mtu_bytes = 4096};
      const std::int64_t rule = headroom_bytes(end, pause_reaction(end.in_rate));
      CHECK(rule >= needed + 4096);
      CHECK(rule <= needed + 4096 * 3);
    }
}

TEST_CASE("what the link needs is the headroom unless another one is given, also while packets go back") {
  for (const std::int64_t gbps : {100, 400})
    for (const std::int64_t offset : {0, 20'000, 40'000, 60'000, 80'000}) {
      Wall wall(gbps, nanoseconds(500), 0);
      wall.star.post(1, 0, 4096 * 3000, 0, SimTime{offset});
      const std::int64_t used = wall.run();
      const PortEnd end{.out_rate = BitRate{gbps * EthernetStar::giga},
                        .in_rate = BitRate{gbps * EthernetStar::giga},
                        .round_trip = microseconds(1),
                        .mtu_bytes = 4096};
      CHECK(used <= headroom_bytes(end, pause_reaction(end.in_rate)));
      CHECK(used >= packets_on_their_way(gbps, nanoseconds(500)) * 4096);
      CHECK(wall.star.bed.trains(wall.star.gpus[1]).size() == 3000);
      CHECK(wall.star.bed.trains(wall.star.gpus[0]).size() == 3000);
    }
}

TEST_CASE("trains need no more headroom than their packets would, but for their own length") {
  const std::int64_t needed = packets_on_their_way(400, nanoseconds(500)) * 4096;
  for (const std::uint32_t grain : {2, 4, 16}) {
    Wall wall(400, nanoseconds(500), needed + 4096, grain);
    CHECK(wall.run() <= needed + 4096 * std::int64_t{grain});
    CHECK(payload_bytes(wall.star.bed.trains(wall.star.gpus[1])) == 4096 * 3000);
  }
}

TEST_CASE(
    "alpha is that of ports of its rate: an account of a line four times as fast may hold four times it") {
  // One account that takes all it may has a / (1 + a) of the shared part: a ninth with 1/8, a third with 1/2.
  for (const std::int64_t rate : {0, 400, 100}) {
    EthernetStar star;
    star.pcie = {BitRate{800 * EthernetStar::giga}, BitRate{8'000'000}};
    star.spec->class_reserve = Bytes{0}, star.spec->headroom = Bytes{400'000};
    star.spec->alpha_rate = BitRate{rate * EthernetStar::giga};
    star.spec->buffer = Bytes{9'000'000 + 2 * 400'000};
    star.build(2);
    star.bed.record(milliseconds(1));
    star.post(0, 1, 4096 * 1500);
    star.bed.run();
    std::int64_t held = -1;
    for (const Row& row : star.bed.rows(tables::buffer))
      if (row.component == star.device && row.values[0] == 0) held = row.values[2] - row.values[3];
    INFO("alpha of " << rate << " Gb/s");
    CHECK(static_cast<double>(held) == Approx(rate == 100 ? 3'000'000 : 1'000'000).margin(2 * 4096));
  }
}

TEST_CASE("four senders fill one line without a gap, and nothing is lost") {
  for (const std::uint32_t grain : {1, 16}) {
    EthernetStar star;
    star.grain = grain;
    star.spec->buffer = Bytes{4 << 20};
    star.build(5);
    star.bed.record(milliseconds(1));
    for (std::uint32_t k = 0; k < 4; ++k) star.post(k, 4, 4096 * 16 * 50);
    star.bed.run();
    const auto got = star.bed.trains(star.gpus[4]);
    CHECK(payload_bytes(got) == 4 * 4096 * 16 * 50);
    const SimTime train = transfer_time(Bytes{4096 * grain}, BitRate{400 * EthernetStar::giga});
    CHECK(got.back().time - got.front().time == train * static_cast<std::int64_t>(got.size() - 1));
    CHECK(star.bed.waits().empty());
    // Every sender was paused, as often as its NIC heard, and for as long (but for the frames' way).
    std::int64_t sent = 0, received = 0;
    for (const Row& row : star.bed.rows(tables::pause)) {
      (row.values[2] == 0 ? sent : received) += row.values[3];
      // The longest is at least the mean, and all of them where it is the only one.
      CHECK(row.values[5] <= row.values[4]);
      CHECK(row.values[5] * row.values[3] >= row.values[4]);
      if (row.values[3] == 1) CHECK(row.values[5] == row.values[4]);
    }
    CHECK(sent >= 4);
    CHECK(sent == received);
  }
}

TEST_CASE("the state of a paused switch is saved") {
  std::vector<std::vector<Arrival>> got;
  for (const SimTime save_at : {time_never, microseconds(40), microseconds(90)}) {
    EthernetStar star;
    star.spec->buffer = Bytes{4 << 20};
    star.build(5);
    for (std::uint32_t k = 0; k < 4; ++k) star.post(k, 4, 4096 * 800);
    star.bed.run(save_at);
    got.push_back(star.bed.trains(star.gpus[4]));
  }
  for (const auto& other : got) {
    REQUIRE(other.size() == got[0].size());
    for (std::size_t i = 0; i < other.size(); ++i) {
      CHECK(other[i].time == got[0][i].time);
      CHECK(other[i].payload == got[0][i].payload);
    }
  }
}

TEST_CASE("of pauses the longest is kept, as is one that goes on when the run ends") {
  PauseUse use;
  use.add(microseconds(3), microseconds(5));
  use.add(microseconds(10), microseconds(17));
  use.add(microseconds(20), microseconds(21));
  CHECK(use.longest == microseconds(7));
  CHECK(use.paused == microseconds(10));
}

TEST_CASE("a class that is not lossless is not paused, and its loss ends the run where nobody repairs it") {
  EthernetStar star;
  star.spec->lossless = "none";
  star.spec->buffer = Bytes{1 << 20};
  star.build(3);
  for (std::uint32_t k = 0; k < 2; ++k) star.post(k, 2, 4096 * 800);
  CHECK_THROWS_WITH(star.bed.run(),
                    Catch::Contains("4096 B of class 0 at port") && Catch::Contains("is not lossless") &&
                        Catch::Contains("the NIC that sent them takes their class for lossless"));
}

TEST_CASE("what a switch cannot keep its promise with is refused before the run") {
  const auto refusal = [](auto&& change) -> std::string {
    EthernetStar star;
    change(star);
    star.build(2);
    star.post(0, 1, 4096);
    try {
      star.bed.run();
    } catch (const InputErrors& e) {
      return e.errors().front().what;
    }
    return "";
  };
  CHECK_THAT(refusal([](EthernetStar& star) { star.spec->buffer = Bytes{100'000}; }),
             Catch::Contains("the headroom of its lossless classes") &&
                 Catch::Contains("are more than its buffer of 100 kB"));
  CHECK_THAT(refusal([](EthernetStar& star) { star.spec->quanta = 100; }),
             Catch::Contains("it ends before it can be renewed"));
}

TEST_CASE("the end of a pause never overtakes its beginning, however the packets of the line lie") {
  // Memories with next to nothing beyond their headroom, so that pauses end as soon as they have begun, and
  // packets of all sizes the other way, for which the frames wait.
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    std::mt19937 draw(seed);
    const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(draw() % bound); };
    EthernetStar star;
    star.grain = 1 + below(8);
    star.cable = nanoseconds(20 + below(300));
    star.spec->class_reserve = Bytes{0}, star.spec->resume_offset = Bytes{0};
    const PortEnd end{.out_rate = BitRate{400 * EthernetStar::giga},
                      .in_rate = BitRate{400 * EthernetStar::giga},
                      .round_trip = star.cable + star.cable,
                      .mtu_bytes = 4096};
    star.spec->buffer = Bytes{4 * headroom_bytes(end, pause_reaction(end.in_rate)) + 4096 * (1 + below(20))};
    star.build(4);
    std::vector<std::int64_t> bytes(4);
    for (std::uint32_t i = 0; i < 60; ++i) {
      const std::uint32_t from = below(4), to = (from + 1 + below(3)) % 4, size = 1 + below(100'000);
      star.post(from, to, size, 0, nanoseconds(below(20'000)));
      bytes[to] += size;
    }
    star.bed.run();
    INFO("seed " << seed);
    CHECK(star.bed.waits().empty());
    for (std::uint32_t k = 0; k < 4; ++k) CHECK(payload_bytes(star.bed.trains(star.gpus[k])) == bytes[k]);
  }
}

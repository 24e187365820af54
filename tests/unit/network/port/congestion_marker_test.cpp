#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/switch/switch.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/wire/marked_train.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr std::uint32_t packet = 100;

/// Eight probes send a packet, or a train, each to probe 8 at once, and again and again when all have left:
/// one finds an empty queue, the next one packet, the last one seven. A buffer of 1,600 B makes the threshold
/// 100 (16 - threshold) B.
struct Incast {
  NetworkBed bed;
  CongestionSpec spec;
  std::uint32_t grain = 1, times = 1, bytes = packet;
  std::uint32_t marks = 0;      ///< that trains come with
  std::uint32_t long_ones = 8;  ///< others are one packet long, 100 ns later

  [[nodiscard]] std::size_t marked(SimTime save_at = time_never, std::int64_t far_buffer = 0) {
    auto hub_spec = std::make_shared<SwitchSpec>();
    hub_spec->buffer = Bytes{1600};
    hub_spec->port_rate = BitRate{10'000'000'000'000};
    for (int i = 0; i < 9; ++i) bed.add_endpoint();
    const ComponentId hub = bed.add(switch_kind(), hub_spec, "hub");
    const auto line = bed.link_class(SimTime{1000}, BitRate{10'000'000'000'000}, packet, grain);
    for (std::uint32_t i = 0; i < 8; ++i)
      bed.connect(ComponentId{i}, 0, hub, static_cast<PortIndex>(i), line);
    SwitchRoute route;
    route.down = {{0, 9, 1, 0, 1}};
    if (far_buffer == 0) {
      bed.connect(ComponentId{8}, 0, hub, 8, line);
    } else {  // a switch with a small buffer lies between, so far that its credits are late
      auto far_spec = std::make_shared<SwitchSpec>(*hub_spec);
      far_spec->buffer = Bytes{far_buffer};
      const ComponentId far = bed.add(switch_kind(), far_spec, "far");
      bed.connect(hub, 8, far, 0,
                  bed.link_class(microseconds(1), BitRate{10'000'000'000'000}, packet, grain));
      bed.connect(ComponentId{8}, 0, far, 1, line);
      SwitchRoute last;
      last.down = {{8, 9, 1, 1, 1}};
      bed.route(far, last);
    }
    bed.route(hub, route);
    for (std::uint32_t time = 0; time < times; ++time)
      for (std::uint32_t from = 0; from < 8; ++from)
        bed.script(ComponentId{from}, nanoseconds(from < long_ones ? 10 * time : 100), 0, train(from));
    bed.finish_model().add(std::make_shared<const CongestionControl>(spec, quadratic_table()));
    bed.run(save_at);
    return bed.trains(ComponentId{8}, MessageKind::marked_train).size();
  }
  [[nodiscard]] Payload train(std::uint32_t from) const {
    const Frame plain = frame_of(Train{.bytes = from < long_ones ? bytes : packet,
                                       .address = Address(EndpointId{from}, EndpointId{8}, {})});
    return to_payload(marks > 0 ? frame_of(MarkedTrain::of(plain, marks)) : plain);
  }
  /// Marked packets of the trains that have come marked, after marked().
  [[nodiscard]] std::vector<std::uint32_t> packets_marked() const {
    std::vector<std::uint32_t> all;
    for (const Arrival& one : bed.trains(ComponentId{8}, MessageKind::marked_train))
      all.push_back(as<MarkedTrain>(one.payload).marks);
    return all;
  }
};

Incast incast(std::uint32_t threshold, std::uint32_t marking_rate = 0) {
  Incast all;
  all.spec.threshold = threshold, all.spec.marking_rate = marking_rate, all.spec.packet_size = Bytes{0};
  all.spec.victims = VictimMask::none;
  return all;
}

}  // namespace

TEST_CASE("packets are marked that find more than the threshold before them") {
  CHECK(incast(15).marked() == 6);  // 2 ... 7 packets are more than 100 B
  CHECK(incast(12).marked() == 3);  // 5, 6, 7 are more than 400 B
  CHECK(incast(9).marked() == 0);
}

// 1,000 times six packets: 6,000 / (n + 1) are marked, +- 4 sqrt(6,000 n) / (n + 1).
TEST_CASE("a marking rate of n marks one of n + 1 packets that it could, on average") {
  for (const std::uint32_t rate : {1u, 2u, 10u}) {
    INFO(rate);
    Incast all = incast(15, rate);
    all.times = 1000;
    CHECK(static_cast<double>(all.marked()) ==
          Approx(6000.0 / (rate + 1)).margin(4 * std::sqrt(6000.0 * rate) / (rate + 1)));
  }
}

TEST_CASE("marks are the same through a checkpoint") {
  std::vector<std::size_t> marked;
  for (const SimTime save_at : {time_never, nanoseconds(75)}) {
    Incast all = incast(15, 3);
    all.times = 20;
    marked.push_back(all.marked(save_at));
  }
  CHECK(marked[0] == marked[1]);
  CHECK(marked[0] > 0);
}

// Of trains of 4 packets C(4, k) 3^(4 - k) in 256 have k that are marked, where one packet of four is.
TEST_CASE("every packet of a train is drawn by itself, and the train has how many are marked") {
  Incast all = incast(15, 3);
  all.grain = 4, all.times = 1000, all.bytes = 4 * packet;
  const std::size_t trains = all.marked();  // of those that find 2 ... 7 trains: more than 400 B
  std::vector<double> with(5);
  for (const std::uint32_t marks : all.packets_marked()) ++with.at(marks);
  CHECK(static_cast<double>(trains) == Approx(6000 * 175 / 256.0).margin(4 * 36.1));
  CHECK(with[1] == Approx(6000 * 108 / 256.0).margin(4 * 38.3));
  CHECK(with[2] == Approx(6000 * 54 / 256.0).margin(4 * 31.7));
  CHECK(with[3] == Approx(6000 * 12 / 256.0).margin(4 * 16.4));
  CHECK(with[4] == Approx(6000 * 1 / 256.0).margin(4 * 4.9));
}

TEST_CASE("packets that are not marked yet may be at the next switch") {
  Incast all = incast(15);
  all.grain = 4, all.bytes = 4 * packet, all.marks = 3;
  CHECK(all.marked() == 8);
  CHECK(all.packets_marked() == std::vector<std::uint32_t>{3, 3, 4, 4, 4, 4, 4, 4});
}

TEST_CASE("a small packet at the end of a train is not marked") {
  Incast all = incast(15);
  all.spec.packet_size = Bytes{51};
  all.grain = 4, all.bytes = 3 * packet + 50;
  CHECK(all.marked() == 6);
  CHECK(all.packets_marked() == std::vector<std::uint32_t>(6, 3));
}

TEST_CASE("small packets are not marked") {
  Incast all = incast(15);
  all.spec.packet_size = Bytes{101};
  CHECK(all.marked() == 0);
}

TEST_CASE("trains of n packets find a threshold that is n - 1 packets higher") {
  Incast all = incast(15);
  all.grain = 4;
  CHECK(all.marked() == 3);  // 5, 6, 7 are more than 400 B
}

// A far buffer of one packet: all behind the first wait for credits, and the queue is not of this line.
TEST_CASE("a port without credits is no root of congestion and marks only in the mask of victims") {
  CHECK(incast(15).marked(time_never, 1600) == 6);
  CHECK(incast(15).marked(time_never, 100) == 0);
  Incast masked = incast(15);
  masked.spec.victims = VictimMask::all;
  CHECK(masked.marked(time_never, 100) == 6);
  Incast hosts = incast(15);
  hosts.spec.victims = VictimMask::hosts;  // probes are no NICs
  CHECK(hosts.marked(time_never, 100) == 0);
}

// The far end counts 450 + 300 B: a train of 400 B is on its way, one waits, and packets of 100 B need not.
TEST_CASE("a port lacks credits for what comes behind a train that waits for them") {
  for (const auto& [far_buffer, marks] : {std::pair{1600, 1u}, {450, 0u}}) {
    Incast all = incast(15);
    all.grain = 4, all.bytes = 4 * packet, all.long_ones = 2;
    CHECK(all.marked(time_never, far_buffer) == marks);  // the last one finds 500 B
  }
}

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "components/switch/switch.hpp"
#include "network/transport/congestion_control.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr std::uint32_t packet = 100;

/// Eight probes send a packet each to probe 8 at once: one finds an empty queue, the next one packet, the
/// last one seven. A buffer of 1,600 B makes the threshold 100 (16 - threshold) B.
struct Incast {
  NetworkBed bed;
  CongestionSpec spec;
  std::uint32_t grain = 1;

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
    for (std::uint32_t from = 0; from < 8; ++from)
      bed.script(ComponentId{from}, SimTime{0}, 0,
                 train_payload(MessageKind::train, EndpointId{from}, EndpointId{8}, {}, packet, 1, 0));
    bed.finish_model().add(std::make_shared<const CongestionControl>(spec, quadratic_table()));
    bed.run(save_at);
    return bed.trains(ComponentId{8}, MessageKind::marked_train).size();
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

TEST_CASE("a marking rate of n marks one of n + 1 packets that it could") {
  CHECK(incast(15, 1).marked() == 3);
  CHECK(incast(15, 2).marked() == 2);
  CHECK(incast(15, 6).marked() == 0);
  CHECK(incast(15, 1).marked(SimTime{1100}) == 3);
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

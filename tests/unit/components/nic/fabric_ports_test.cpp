// A NIC of two ports, each cabled to a port of one probe, so that arrivals say which port they took.
#include "components/nic/fabric_ports.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "components/nic/nic.hpp"
#include "network/health/nic_health.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr std::int64_t giga = 1'000'000'000;
constexpr SimTime packet{163'840};  ///< of 4,096 B at 200 Gb/s
constexpr SimTime pcie_latency = nanoseconds(200), cable_latency = nanoseconds(100);

/// Endpoint 0 behind the NIC, endpoint 1 at the far ends of both its ports: links 0, 1 and 2, 3.
struct DualNic {
  NetworkBed bed;
  ComponentId gpu = bed.add_endpoint(0), far = bed.add_endpoint(1);
  std::shared_ptr<NicSpec> spec = std::make_shared<NicSpec>();
  ComponentId nic;
  LinkId cables[2];

  explicit DualNic(PortChoice choice, std::int64_t pcie_gbps = 504, std::uint32_t grain = 1) {
    spec->ports = 2, spec->port_choice = choice;
    spec->port_rate = BitRate{200 * giga};
    spec->message_rate = 1'000'000'000'000;
    spec->fail_over = microseconds(5);
    spec->retransmit_timeout = microseconds(7);
    spec->lanes = 1;  // whose flow control does not matter: a probe has none
    nic = bed.add(nic_kind(), spec, "nic");
    const auto fibre = bed.link_class(cable_latency, BitRate{200 * giga}, 4096, grain);
    for (std::uint16_t port = 0; port < 2; ++port) cables[port] = bed.connect(nic, port, far, port, fibre);
    bed.connect(gpu, 1, nic, 2, bed.link_class(pcie_latency, BitRate{pcie_gbps * giga}, 4096, grain));
  }
  void post(SimTime at, std::int64_t packets, std::uint32_t channel = 0, bool notify = false) {
    bed.script(gpu, at, 1,
               work_payload(EndpointId{0}, EndpointId{1}, Connection::make(0, channel, 0),
                            static_cast<std::uint32_t>(4096 * packets), notify));
  }
  /// The cable of `port` is down in these spans.
  void fail(std::uint32_t port, std::vector<Outage> spans) {
    bed.set_health(HealthTable({}, {{cables[port], spans}, {LinkId{cables[port].value ^ 1}, spans}}));
    bed.finish_model().add<NicHealth>(std::make_shared<const NicHealth>());
  }
  [[nodiscard]] std::vector<SimTime> times(PortIndex port) const {
    std::vector<SimTime> all;
    for (const Arrival& arrival : bed.trains(far))
      if (arrival.port == port) all.push_back(arrival.time);
    return all;
  }
  [[nodiscard]] std::size_t count(PortIndex port) const { return times(port).size(); }
};

/// When a port that has sent nothing else sends its packet i, at the far end.
SimTime on_time(std::int64_t i) {
  return pcie_latency + cable_latency + i * packet;
}

}  // namespace

// Of 256 flows each port has 128, with a deviation of 8.
TEST_CASE("flows take the port that their hash says, all of a flow the same") {
  DualNic net(PortChoice::flow);
  for (std::uint32_t flow = 0; flow < 256; ++flow) net.post(SimTime{0}, 3, flow);
  net.bed.run();
  std::vector<int> port_of(256, -1);
  for (const Arrival& arrival : net.bed.trains(net.far)) {
    const std::uint32_t flow = frame_in(arrival.payload).address.connection().channel();
    if (port_of[flow] < 0) port_of[flow] = arrival.port;
    CHECK(port_of[flow] == arrival.port);
  }
  REQUIRE(net.count(0) + net.count(1) == 3 * 256);
  CHECK(std::abs(static_cast<int>(net.count(0)) / 3 - 128) <= 4 * 8);
}

// Two flows that meet on one port take twice as long as on two.
TEST_CASE("a flow alone has the rate of one port") {
  DualNic net(PortChoice::flow);
  net.post(SimTime{0}, 100);
  net.bed.run();
  const PortIndex port = net.count(0) > 0 ? 0 : 1;
  REQUIRE(net.count(port) == 100);
  for (std::int64_t i = 0; i < 100; ++i) CHECK(net.times(port)[static_cast<std::size_t>(i)] == on_time(i));
}

TEST_CASE("by load each message takes the port that is free first") {
  DualNic net(PortChoice::load);
  // 90 packets, then 30, 30 and 30 beside them, whatever their flow; work requests are 1 ps apart.
  for (const std::int64_t packets : {90, 30, 30, 30}) net.post(SimTime{0}, packets);
  net.bed.run();
  REQUIRE(net.count(0) == 90);
  REQUIRE(net.count(1) == 90);
  for (PortIndex port = 0; port < 2; ++port) CHECK(net.times(port).back() - on_time(89) <= SimTime{3});
}

TEST_CASE("a message that is split takes both ports in equal parts and is sent when the last part is") {
  DualNic net(PortChoice::split);
  net.post(SimTime{0}, 101, 0, true);
  net.bed.run();
  REQUIRE(net.count(0) == 51);  // 50.5 packets each
  REQUIRE(net.count(1) == 51);
  const auto notices = net.bed.trains(net.gpu, MessageKind::sent);
  REQUIRE(notices.size() == 1);
  CHECK(as<SentNotice>(notices[0].payload).bytes == 101 * 4096);
  CHECK(notices[0].time == 2 * pcie_latency + 50 * packet + packet / 2);
}

// Port 0 is down from 10 us on: its packets that begin up to then and end before have left, floor((10 us -
// 0.2 us) / p) of them, and the one that is cut off goes again after the timer. At 15 us what it has left
// goes to port 1, which sends without a gap.
TEST_CASE("when a port fails its flows go over to the other after the time of the fail-over") {
  DualNic net(PortChoice::split);
  net.fail(0, {{microseconds(10), time_never}});
  net.post(SimTime{0}, 400, 0, true);
  net.bed.run();
  const std::int64_t left = (microseconds(10) - pcie_latency) / packet;
  REQUIRE(net.count(0) == static_cast<std::size_t>(left));
  REQUIRE(net.count(1) == static_cast<std::size_t>(400 - left));
  CHECK(payload_bytes(net.bed.trains(net.far)) == 400 * 4096);
  for (std::int64_t i = 0; i < 400 - left; ++i)
    CHECK(net.times(1)[static_cast<std::size_t>(i)] == on_time(i));
  CHECK(net.bed.trains(net.gpu, MessageKind::sent).size() == 1);
}

TEST_CASE("flows of a port that is back are spread again, after the same time") {
  DualNic net(PortChoice::split);
  net.fail(0, {{microseconds(10), microseconds(30)}});
  net.post(SimTime{0}, 1000);
  net.post(microseconds(34), 1);  // by port 1 still
  net.post(microseconds(200), 100);
  net.bed.run();
  CHECK(payload_bytes(net.bed.trains(net.far)) == 1101 * 4096);
  // What waits at port 1 when port 0 is back has been cut to its port; the later message takes both.
  const auto late = [&](PortIndex port) {
    std::size_t count = 0;
    for (const SimTime time : net.times(port)) count += time > microseconds(200) ? 1 : 0;
    return count;
  };
  CHECK(late(0) == 50);
  CHECK(late(1) == 50);
}

TEST_CASE("an outage shorter than the fail-over is waited for") {
  DualNic net(PortChoice::split);
  net.fail(0, {{microseconds(10), microseconds(13)}});
  net.post(SimTime{0}, 400);
  net.bed.run();
  // The packet that was cut off goes by the port of its flow's hash.
  const auto again = static_cast<std::int64_t>(net.count(1)) - 200;
  CHECK((again == 0 || again == 1));
  CHECK(net.count(0) == static_cast<std::size_t>(200 - again));
  CHECK(net.times(1).back() == on_time(199 + again));
  CHECK(net.times(0).back() > on_time(199) + microseconds(2));
}

TEST_CASE("a hashed flow goes over, too, and comes back") {
  for (std::uint32_t flow = 0; flow < 8; ++flow) {
    DualNic net(PortChoice::flow);
    net.fail(0, {{microseconds(10), microseconds(40)}});
    net.post(SimTime{0}, 10, flow);
    net.post(microseconds(20), 10, flow);
    net.post(microseconds(60), 10, flow);
    net.bed.run();
    REQUIRE(net.bed.trains(net.far).size() == 30);
    const bool is_first = net.count(0) > 0;  // of the flow's hash
    CHECK(net.count(0) == (is_first ? 20 : 0));
    CHECK(net.count(1) == (is_first ? 10 : 30));
  }
}

TEST_CASE("both ports together read no faster than PCIe, one alone at its own rate") {
  // 252 Gb/s: 130,032 ps a packet, of which both ports take turns.
  DualNic both(PortChoice::split, 252);
  both.post(SimTime{0}, 1000);
  both.bed.run();
  const SimTime end = std::max(both.times(0).back(), both.times(1).back());
  CHECK(std::abs((end - pcie_latency).count() / 1000 - 130'032) < 300);
  DualNic one(PortChoice::flow, 252);
  one.post(SimTime{0}, 1000);
  one.bed.run();
  CHECK(std::max(one.count(0) ? one.times(0).back() : SimTime{},
                 one.count(1) ? one.times(1).back() : SimTime{}) == on_time(999));
}

TEST_CASE("a nic of two ports saved in the middle of an outage goes on as if nothing had happened") {
  for (const PortChoice choice : {PortChoice::flow, PortChoice::load, PortChoice::split})
    for (const SimTime at : {microseconds(11), microseconds(14), microseconds(16), microseconds(31)}) {
      std::vector<SimTime> times[2];
      for (int k = 0; k < 2; ++k) {
        DualNic net(choice, 300);
        net.fail(0, {{microseconds(10), microseconds(27)}});
        for (std::uint32_t i = 0; i < 8; ++i) net.post(nanoseconds(500 * i), 40, i, true);
        net.bed.run(k == 0 ? time_never : at);
        for (const ComponentId probe : {net.gpu, net.far})
          for (const Arrival& arrival : net.bed.arrivals(probe)) times[k].push_back(arrival.time);
        CHECK(payload_bytes(net.bed.trains(net.far)) == 8 * 40 * 4096);
      }
      CHECK(times[0] == times[1]);
    }
}

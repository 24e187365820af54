#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "components/nic/nic.hpp"
#include "network/health/health_table.hpp"
#include "network/health/nic_health.hpp"
#include "network/port/tables.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/wire/congestion_notice.hpp"
#include "network/wire/marked_train.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr std::int64_t giga = 1'000'000'000;

/// GPUs 0 and 1 on one NIC, GPU 2 on another; a cable of 100 ns between the NICs. One packet of 4,096 B takes
/// 81,920 ps on the fabric (400 Gb/s).
struct TwoNics {
  NetworkBed bed;
  ComponentId gpu0 = bed.add_endpoint(0, 0), gpu1 = bed.add_endpoint(0, 1), gpu2 = bed.add_endpoint(1, 0);
  std::shared_ptr<NicSpec> spec = std::make_shared<NicSpec>();
  ComponentId nic0, nic1;

  explicit TwoNics(std::int64_t pcie_gbps = 500, bool has_cable = true) {
    spec->message_rate = 1'000'000'000'000;
    nic0 = bed.add(nic_kind(), spec, "nic");
    nic1 = bed.add(nic_kind(), spec, "nic");
    auto pcie = bed.link_class(nanoseconds(200), BitRate{pcie_gbps * giga}, 4096, 1);
    auto fibre = bed.link_class(nanoseconds(100), BitRate{400 * giga}, 4096, 1);
    bed.connect(gpu0, 1, nic0, 1, pcie);
    bed.connect(gpu1, 1, nic0, 2, pcie);
    bed.connect(gpu2, 1, nic1, 1, pcie);
    if (has_cable) bed.connect(nic0, 0, nic1, 0, fibre);
  }
  void post(ComponentId gpu, SimTime at, std::uint32_t to, std::uint32_t bytes, bool notify = false,
            std::uint32_t channel = 0) {
    bed.script(
        gpu, at, 1,
        work_payload(EndpointId{gpu.value}, EndpointId{to}, Connection::make(0, channel, 0), bytes, notify));
  }
  /// What is no work request.
  void say(ComponentId gpu, SimTime at, std::uint32_t to, std::uint32_t bytes, std::uint32_t channel,
           MessageKind kind) {
    bed.script(
        gpu, at, 1,
        train_payload(kind, EndpointId{gpu.value}, EndpointId{to}, Connection::make(0, channel, 0), bytes));
  }
};

constexpr SimTime packet{81'920};

}  // namespace

TEST_CASE("a message arrives in one piece at fabric rate") {
  TwoNics net;
  net.post(net.gpu0, SimTime{0}, 2, 4096 * 10);
  net.bed.run();
  auto got = net.bed.trains(net.gpu2);
  REQUIRE(got.size() == 10);
  // PCIe 200 ns, cable 100 ns, PCIe 200 ns; PCIe is faster (65,536 ps a packet), so heads wait for the
  // fabric's tails.
  SimTime first = nanoseconds(500) + packet - SimTime{65'536};
  for (int i = 0; i < 10; ++i) CHECK(got[i].time == first + packet * i);
  CHECK(frame_in(got[0].payload).address.connection() == Connection{});
  CHECK(frame_in(got[0].payload).address.from() == EndpointId{0});
}

TEST_CASE("a PCIe slower than the fabric sets the pace and no tail leaves before it is read") {
  TwoNics net(200);
  net.post(net.gpu0, SimTime{0}, 2, 4096 * 10);
  net.bed.run();
  auto got = net.bed.trains(net.gpu2);
  REQUIRE(got.size() == 10);
  // 163,840 ps a packet on PCIe: the first head leaves 163,840 - 81,920 ps after the work request arrived.
  for (int i = 0; i < 10; ++i) CHECK(got[i].time == nanoseconds(500) + packet + SimTime{163'840} * i);
}

TEST_CASE("two GPUs of one NIC share the fabric train by train") {
  TwoNics net;
  net.post(net.gpu0, SimTime{0}, 2, 4096 * 4);
  net.post(net.gpu1, SimTime{0}, 2, 4096 * 4);
  net.bed.run();
  auto got = net.bed.trains(net.gpu2);
  REQUIRE(got.size() == 8);
  for (int i = 0; i < 8; ++i)
    CHECK(frame_in(got[i].payload).address.from().value == static_cast<std::uint32_t>(i % 2));
  CHECK(got[7].time - got[0].time == packet * 7);
}

TEST_CASE("a completion is sent when the last byte is on the wire, to whoever asked") {
  TwoNics net;
  net.post(net.gpu1, SimTime{0}, 2, 4096 * 3, true, 5);
  net.post(net.gpu0, SimTime{0}, 2, 4096, 0, 6);
  net.bed.run();
  auto notices = net.bed.trains(net.gpu1, MessageKind::sent);
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].payload ==
        to_payload(SentNotice{.bytes = 3 * 4096,
                              .address = Address(EndpointId{1}, EndpointId{2}, Connection::make(0, 5, 0))}));
  CHECK(notices[0].time == nanoseconds(400) + packet * 4);  // its third train follows the other GPU's
  CHECK(net.bed.trains(net.gpu0, MessageKind::sent).empty());
}

TEST_CASE("messages start at the message rate at most") {
  TwoNics net;
  net.spec->message_rate = 1'000'000;  // one a microsecond
  for (int i = 0; i < 5; ++i) net.post(net.gpu0, SimTime{0}, 2, 64, true);
  net.bed.run();
  auto got = net.bed.trains(net.gpu2);
  REQUIRE(got.size() == 5);
  for (int i = 1; i < 5; ++i) CHECK(got[i].time - got[i - 1].time == microseconds(1));
  CHECK(net.bed.trains(net.gpu0, MessageKind::sent).size() == 5);
}

TEST_CASE("a message to the same NIC loops back, also to its own sender") {
  TwoNics net(500, false);
  net.post(net.gpu0, SimTime{0}, 1, 4096 * 3, true);
  net.post(net.gpu1, SimTime{0}, 1, 4096 * 2);
  net.bed.run();
  auto got = net.bed.trains(net.gpu1);
  REQUIRE(got.size() == 5);
  CHECK(got[0].time == nanoseconds(400));
  CHECK(got[4].time == nanoseconds(400) + SimTime{65'536} * 4);
  CHECK(net.bed.trains(net.gpu0, MessageKind::sent).size() == 1);
}

TEST_CASE("a control message reaches the other endpoint and comes before waiting payload") {
  TwoNics net;
  net.post(net.gpu0, SimTime{0}, 2, 4096 * 100);
  net.say(net.gpu0, nanoseconds(1), 2, 64, 9, MessageKind::control);
  net.bed.run();
  auto control = net.bed.trains(net.gpu2, MessageKind::control);
  REQUIRE(control.size() == 1);
  CHECK(frame_in(control[0].payload).address.connection().channel() == 9);
  CHECK(frame_in(control[0].payload).bytes == 64);
  CHECK(control[0].time < nanoseconds(600));
}

TEST_CASE("an empty message is complete at once") {
  TwoNics net;
  net.post(net.gpu0, SimTime{0}, 2, 0, true);
  net.bed.run();
  CHECK(net.bed.trains(net.gpu2).empty());
  REQUIRE(net.bed.trains(net.gpu0, MessageKind::sent).size() == 1);
  CHECK(net.bed.trains(net.gpu0, MessageKind::sent)[0].time == nanoseconds(400));
}

TEST_CASE("the latencies of sending and receiving are added once, without gaps between trains") {
  TwoNics net;
  net.spec->send_latency = nanoseconds(300);
  net.spec->receive_latency = nanoseconds(250);
  net.post(net.gpu0, SimTime{0}, 2, 4096 * 10);
  net.bed.run();
  auto got = net.bed.trains(net.gpu2);
  REQUIRE(got.size() == 10);
  for (int i = 0; i < 10; ++i)
    CHECK(got[i].time == nanoseconds(1050) + packet - SimTime{65'536} + packet * i);
}

TEST_CASE("a receiver that takes less than the fabric brings pushes back and loses nothing") {
  NetworkBed bed;
  ComponentId a = bed.add_endpoint(), b = bed.add_endpoint();
  auto spec = std::make_shared<NicSpec>();
  spec->buffer = Bytes{32'768};
  ComponentId nic_a = bed.add(nic_kind(), spec, "nic"), nic_b = bed.add(nic_kind(), spec, "nic");
  auto fibre = bed.link_class(nanoseconds(100), BitRate{400 * giga}, 4096, 1);
  bed.connect(a, 0, nic_a, 1, bed.link_class(nanoseconds(200), BitRate{500 * giga}, 4096, 1));
  bed.connect(nic_a, 0, nic_b, 0, fibre);
  bed.connect(nic_b, 1, b, 0, bed.link_class(nanoseconds(200), BitRate{100 * giga}, 4096, 1));
  bed.record(milliseconds(100));
  bed.script(a, SimTime{0}, 0, work_payload(EndpointId{0}, EndpointId{1}, {}, 4096 * 1000));
  bed.run();
  auto got = bed.trains(b);
  REQUIRE(got.size() == 1000);
  CHECK(got.back().time - got.front().time == SimTime{4096 * 80} * 999);  // 100 Gb/s: 80 ps a byte
  for (const Row& row : bed.rows(tables::queue))
    if (row.component == nic_b)
      CHECK(row.values[2] <= 32'768 + 4096);  // never more than its buffer and one on the wire
}

TEST_CASE("a nic that nobody stands in for waits for its cable, and every byte arrives once") {
  TwoNics net;
  net.spec->retransmit_timeout = microseconds(5);
  const std::vector<Outage> outage{{microseconds(2), microseconds(10)}};
  net.bed.set_health(HealthTable({}, {{LinkId{6}, outage}, {LinkId{7}, outage}}));
  net.bed.finish_model().add<NicHealth>(std::make_shared<const NicHealth>());
  net.post(net.gpu0, SimTime{0}, 2, 4096 * 100, true);
  net.bed.run();
  const auto got = net.bed.trains(net.gpu2);
  CHECK(payload_bytes(got) == 4096 * 100);
  REQUIRE(got.size() == 100);
  CHECK(net.bed.trains(net.gpu0, MessageKind::sent).size() == 1);
  // 22 packets are away when the cable fails (200 ns for the work request); 78 take 6.39 us.
  CHECK(got.back().time > microseconds(10) + packet * 78);
  CHECK(got.back().time < microseconds(17));
}

TEST_CASE("messages to endpoints that cannot be reached are errors that name them") {
  TwoNics nobody;
  nobody.post(nobody.gpu0, SimTime{0}, 44, 64);
  CHECK_THROWS_WITH(nobody.bed.run(),
                    Catch::Contains("nic3") && Catch::Contains("endpoint 44 (?) does not exist"));

  TwoNics no_nic;
  no_nic.bed.book().endpoints[2].lid = Lid{};
  no_nic.post(no_nic.gpu0, SimTime{0}, 2, 64);
  CHECK_THROWS_WITH(no_nic.bed.run(), Catch::Contains("endpoint 2 (gpu2) has no NIC"));

  TwoNics no_cable(500, false);
  no_cable.post(no_cable.gpu0, SimTime{0}, 2, 64);
  CHECK_THROWS_WITH(no_cable.bed.run(),
                    Catch::Contains("endpoint 2 (gpu2) cannot be reached: port 0 is not connected"));

  TwoNics stray;
  ComponentId far = stray.bed.add_endpoint(2);
  stray.post(stray.gpu0, SimTime{0}, far.value - 2, 64);
  CHECK_THROWS_WITH(stray.bed.run(),
                    Catch::Contains("nic4") &&
                        Catch::Contains("a train for endpoint 3 (gpu3) arrived, which is not attached here"));
}

TEST_CASE(
    "of 600 GPUs on one NIC each is told of its own message, also when they wait for the message rate") {
  constexpr std::uint32_t gpus = 600;
  NetworkBed bed;
  std::vector<ComponentId> gpu;
  for (std::uint32_t i = 0; i <= gpus; ++i) gpu.push_back(bed.add_endpoint(i / gpus));
  auto spec = std::make_shared<NicSpec>();
  spec->message_rate = 1'000'000;
  const ComponentId near = bed.add(nic_kind(), spec, "nic"), far = bed.add(nic_kind(), spec, "nic");
  const auto line = bed.link_class(nanoseconds(100), BitRate{400 * giga}, 4096, 1);
  bed.connect(near, 0, far, 0, line);
  for (std::uint32_t i = 0; i < gpus; ++i) bed.connect(gpu[i], 0, near, static_cast<PortIndex>(i + 1), line);
  bed.connect(gpu[gpus], 0, far, 1, line);
  for (std::uint32_t i = 0; i < gpus; ++i) {
    WorkRequest work{.bytes = 64, .address = Address(EndpointId{i}, EndpointId{gpus}, {})};
    work.notify = 1;
    bed.script(gpu[i], SimTime{0}, 0, to_payload(work));
  }
  bed.run();
  CHECK(bed.trains(gpu[gpus]).size() == gpus);
  for (std::uint32_t i = 0; i < gpus; ++i) {
    const auto notices = bed.trains(gpu[i], MessageKind::sent);
    if (notices.size() != 1 || as<SentNotice>(notices[0].payload).address.from() != EndpointId{i}) FAIL(i);
    // 100 ns to the NIC and back, one work request a microsecond, 64 B at 400 Gb/s.
    if (notices[0].time != nanoseconds(200) + microseconds(i) + SimTime{1280}) FAIL(i);
  }
}

TEST_CASE("a nic refuses payloads that do not belong on a port") {
  TwoNics net;
  net.say(net.gpu0, SimTime{0}, 2, 64, 0, MessageKind::train);
  CHECK_THROWS_WITH(net.bed.run(), Catch::Contains("unexpected message 'train' on port 1"));
}

TEST_CASE("a PCIe link faster than the adapter is refused") {
  TwoNics net(600);
  CHECK_THROWS_WITH(net.bed.run(),
                    Catch::Contains("nic3: the link at port 1 runs at 600 Gb/s, the port at 504 Gb/s"));
}

TEST_CASE("a nic saved in the middle and loaded goes on as if nothing had happened") {
  std::vector<SimTime> times[2];
  for (int k = 0; k < 2; ++k) {
    TwoNics net(200);
    net.spec->message_rate = 3'000'000;
    for (std::uint32_t i = 0; i < 8; ++i) {
      net.post(net.gpu0, nanoseconds(100 * i), 2, 9000 * (i + 1), true, i % 3);
      net.post(net.gpu1, nanoseconds(70 * i), i % 2 ? 0 : 2, 7000, 0, i % 2);
    }
    net.bed.run(k == 0 ? time_never : microseconds(2));
    for (ComponentId gpu : {net.gpu0, net.gpu1, net.gpu2})
      for (const Arrival& a : net.bed.arrivals(gpu)) times[k].push_back(a.time);
  }
  CHECK(times[0].size() > 30);
  CHECK(times[0] == times[1]);
}

namespace {

/// GPU 0 on a NIC whose cable leads to probe 1.
struct PacedNic {
  NetworkBed bed;
  ComponentId gpu = bed.add_endpoint(0), far = bed.add_endpoint(1);
  PacedNic() {
    auto spec = std::make_shared<NicSpec>();
    spec->message_rate = 1'000'000'000'000;
    const ComponentId nic = bed.add(nic_kind(), spec, "nic");
    bed.connect(gpu, 1, nic, 1, bed.link_class(nanoseconds(200), BitRate{500 * giga}, 4096, 1));
    bed.connect(nic, 0, far, 0, bed.link_class(nanoseconds(100), BitRate{400 * giga}, 4096, 1));
    CongestionSpec settings;
    settings.increase = 3, settings.limit = 9, settings.marking_rate = 0, settings.timer = microseconds(60);
    std::vector<RateEntry> table;
    for (std::uint32_t i = 0; i < 10; ++i) table.push_back({i, 0});
    bed.finish_model().add(std::make_shared<const CongestionControl>(settings, table));
  }
  [[nodiscard]] static Connection connection(std::uint32_t channel) {
    return Connection::make(0, channel, 0);
  }
  void post(std::uint32_t packets, std::uint32_t channel) {
    bed.script(gpu, SimTime{0}, 1,
               work_payload(EndpointId{0}, EndpointId{1}, connection(channel), packets * 4096));
  }
  /// That packets of GPU 0's flow to probe 1 were marked.
  void notify(SimTime at, std::uint32_t channel, std::uint16_t marks) {
    CongestionNotice notice;
    notice.marks = marks, notice.address = Address(EndpointId{1}, EndpointId{0}, connection(channel));
    bed.script(far, at, 0, to_payload(notice));
  }
  [[nodiscard]] std::vector<SimTime> times(std::uint32_t channel) const {
    std::vector<SimTime> all;
    for (const Arrival& arrival : bed.trains(far))
      if (frame_in(arrival.payload).address.connection() == connection(channel)) all.push_back(arrival.time);
    return all;
  }
};

}  // namespace

// A mark adds 3 to the index: pauses of 3 packets, a quarter of the line.
TEST_CASE("a nic paces the flow of a congestion notice, and other flows take what it leaves") {
  PacedNic net;
  net.notify(SimTime{0}, 1, 1);
  net.post(20, 1), net.post(40, 2);
  net.bed.run();
  const std::vector<SimTime> paced = net.times(1), free = net.times(2);
  REQUIRE(paced.size() == 20);
  REQUIRE(free.size() == 40);
  for (std::size_t i = 1; i < paced.size(); ++i) CHECK(paced[i] - paced[i - 1] == 4 * packet);
  CHECK(free.back() - free.front() == 52 * packet);  // 13 of the paced ones lie between, one every fourth
}

TEST_CASE("the pace of a flow rises again when the timer ends") {
  PacedNic net;
  net.notify(nanoseconds(59'000), 1, 2);  // the index is 6 up to 60 us, 5 up to 120 us
  net.bed.script(net.gpu, nanoseconds(61'000), 1,
                 work_payload(EndpointId{0}, EndpointId{1}, PacedNic::connection(1), 10 * 4096));
  net.bed.script(net.gpu, nanoseconds(121'000), 1,
                 work_payload(EndpointId{0}, EndpointId{1}, PacedNic::connection(1), 10 * 4096));
  net.bed.run();
  const std::vector<SimTime> paced = net.times(1);
  REQUIRE(paced.size() == 20);
  for (std::size_t i = 1; i < 10; ++i) CHECK(paced[i] - paced[i - 1] == 6 * packet);
  for (std::size_t i = 11; i < 20; ++i) CHECK(paced[i] - paced[i - 1] == 5 * packet);
}

TEST_CASE("a nic passes a marked train on as a plain one and sends its sender a notice") {
  PacedNic net;
  const Frame train = frame_of(
      Train{.bytes = 5 * 4096, .address = Address(EndpointId{1}, EndpointId{0}, PacedNic::connection(1))});
  net.bed.script(net.far, SimTime{0}, 0, to_payload(MarkedTrain::of(train, 3)));
  net.bed.run();
  REQUIRE(net.bed.trains(net.gpu).size() == 1);
  CHECK(as<Train>(net.bed.trains(net.gpu)[0].payload).packets == 5);
  const std::vector<Arrival> notices = net.bed.trains(net.far, MessageKind::congestion_notice);
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].time == nanoseconds(200));
  const auto notice = as<CongestionNotice>(notices[0].payload);
  CHECK(notice.marks == 3);
  CHECK(notice.address == Address(EndpointId{0}, EndpointId{1}, PacedNic::connection(1)));
}

TEST_CASE("paces that are saved and loaded are kept") {
  std::vector<SimTime> times[2];
  for (const int k : {0, 1}) {
    PacedNic net;
    net.notify(SimTime{0}, 1, 1);
    net.post(20, 1), net.post(40, 2);
    net.bed.run(k == 0 ? time_never : microseconds(3));
    times[k] = net.times(1);
  }
  CHECK(times[0] == times[1]);
}

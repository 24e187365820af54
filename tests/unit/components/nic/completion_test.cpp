// When a device is told that its message was sent, how answers get back, and what senders make of them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "network/port/tables.hpp"
#include "network/transport/dctcp.hpp"
#include "tests/support/ethernet_star.hpp"
#include "tests/support/lossy_switch.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr SimTime packet{81'920};  ///< of 4,096 B at 400 Gb/s
constexpr SimTime pcie = nanoseconds(200), cable = nanoseconds(333);

/// A message of so many packets, of whose end the device is to be told.
void post(EthernetStar& star, std::uint32_t from, std::uint32_t to, std::uint32_t packets, SimTime at = {}) {
  star.bed.script(
      star.gpus[from], at, 1,
      work_payload(EndpointId{from}, EndpointId{to}, Connection::make(0, 0, 0), 4096 * packets, true));
}

/// When the devices were told, one after the other.
std::vector<SimTime> told(EthernetStar& star, std::uint32_t device) {
  std::vector<SimTime> times;
  for (const Arrival& a : star.bed.trains(star.gpus[device], MessageKind::sent)) times.push_back(a.time);
  return times;
}

/// Of frames of that number the first sending.
Loss first_of(std::uint16_t number) {
  return [number, seen = false](const Frame& frame) mutable {
    if (frame.kind != MessageKind::numbered_train || as<NumberedTrain>(frame).number != number) return false;
    return !std::exchange(seen, true);
  };
}

EthernetStar star_of(
    LossRepair repair, Loss loss = [](const Frame&) { return false; }, Loss trims = {}) {
  EthernetStar star;
  star.kind = lossy_switch_kind(std::move(loss), std::move(trims));
  star.cable = cable;
  star.spec->lossless = star.nic.lossless = "none";
  star.nic.repair = repair;
  star.nic.retransmit_timeout = microseconds(100);
  star.nic.completion = NicCompletion::acknowledged;
  return star;
}

}  // namespace

TEST_CASE(
    "a message is complete when its last packet's acknowledgement is back, four cables after its head") {
  for (const LossRepair repair : {LossRepair::go_back_n, LossRepair::selective_repeat, LossRepair::trimming})
    for (const std::uint32_t packets : {1u, 7u, 60u}) {
      EthernetStar star = star_of(repair);
      star.build(2);
      post(star, 0, 1, packets);
      post(star, 0, 1, 1);
      star.bed.run();
      const SimTime last = pcie + (packets - 1) * packet + 4 * cable + pcie;
      CHECK(told(star, 0) == std::vector<SimTime>{last, last + packet});
    }
}

TEST_CASE("without that it is complete when its last byte is on the wire") {
  EthernetStar star = star_of(LossRepair::go_back_n);
  star.nic.completion = NicCompletion::sent;
  star.build(2);
  post(star, 0, 1, 7);
  star.bed.run();
  CHECK(told(star, 0) == std::vector<SimTime>{pcie + 7 * packet + pcie});
}

TEST_CASE("classes that are not repaired are complete when they are on the wire") {
  EthernetStar star;
  star.nic.completion = NicCompletion::acknowledged;
  star.build(2);
  post(star, 0, 1, 7);
  star.bed.run();
  CHECK(told(star, 0) == std::vector<SimTime>{pcie + 7 * packet + pcie});
}

TEST_CASE("a lost packet delays the end of its message until the repair is acknowledged") {
  // Packet 3 of 60 goes again as the m-th (repair_test.cpp), and all behind it with go-back-N.
  const std::int64_t m = 3 + 1 + (4 * cable.count() + packet.count() - 1) / packet.count();
  EthernetStar star = star_of(LossRepair::go_back_n, first_of(3));
  star.build(2);
  post(star, 0, 1, 60);
  star.bed.run();
  CHECK(told(star, 0) == std::vector<SimTime>{pcie + (59 + m - 3) * packet + 4 * cable + pcie});
}

TEST_CASE("what is acknowledged by itself does not complete a message before what is missing in it") {
  // The header of the last packet but one is heard of when all has been sent: it goes again then. The message
  // behind it, whose packet is long there, is not complete before.
  EthernetStar star = star_of(
      LossRepair::trimming, [](const Frame&) { return false; }, first_of(8));
  star.build(2);
  post(star, 0, 1, 10);
  post(star, 0, 1, 1);
  star.bed.run();
  const SimTime repaired = pcie + 8 * packet + 8 * cable + pcie;
  CHECK(told(star, 0) == std::vector<SimTime>{repaired, repaired});
}

TEST_CASE("answers first pass a queue of payload, answers in their class wait in it") {
  // Two senders fill the queue towards endpoint 1, which sends a packet itself.
  constexpr SimTime at = microseconds(5), alone = pcie + 4 * cable + pcie;
  for (const bool is_first : {false, true}) {
    EthernetStar star;
    star.cable = cable;
    star.nic.repair_of = RepairOf::all;
    star.nic.completion = NicCompletion::acknowledged;
    star.nic.answers = is_first ? NicAnswers::first : NicAnswers::in_class;
    star.spec->answers = is_first ? SwitchAnswers::first : SwitchAnswers::in_class;
    star.build(3);
    for (const std::uint32_t from : {0u, 2u}) post(star, from, 1, 200);
    post(star, 1, 0, 1, at);
    star.bed.run();
    REQUIRE(told(star, 1).size() == 1);
    const SimTime late = told(star, 1)[0] - at - alone;
    CHECK(late >= SimTime{0});
    // A packet on the line of the NIC, and one on that of the switch; else about half of what was sent by
    // then.
    if (is_first)
      CHECK(late <= 2 * packet);
    else
      CHECK(late > 50 * packet);
  }
}

TEST_CASE("answers first are not paused with their class") {
  // The sink's device reads slowly, so that its NIC pauses the switch, and the switch the senders.
  std::vector<SimTime> late;
  for (const bool is_first : {false, true}) {
    EthernetStar star;
    star.cable = cable;
    star.spec->buffer = Bytes{600'000};
    star.nic_buffer = Bytes{300'000};
    star.pcie = {BitRate{800 * EthernetStar::giga}, BitRate{10 * EthernetStar::giga}};
    star.nic.repair_of = RepairOf::all;
    star.nic.completion = NicCompletion::acknowledged;
    star.nic.answers = is_first ? NicAnswers::first : NicAnswers::in_class;
    star.spec->answers = is_first ? SwitchAnswers::first : SwitchAnswers::in_class;
    star.build(3);
    post(star, 0, 1, 400);
    post(star, 2, 0, 1, microseconds(40));  // its acknowledgement leaves a NIC that is paused
    star.bed.run();
    REQUIRE(told(star, 2).size() == 1);
    late.push_back(told(star, 2)[0] - microseconds(40) - (pcie + 4 * cable + pcie));
  }
  CHECK(late[0] > 20 * packet);
  CHECK(late[1] <= 2 * packet);
}

TEST_CASE("two senders with DCTCP keep a marking line full without pauses, and share it") {
  // A round trip of 4 us at 400 Gb/s is 200 kB; marks begin at 100 kB, above a seventh of that.
  EthernetStar star;
  star.cable = microseconds(1);
  star.nic.repair_of = RepairOf::all;
  star.nic.completion = NicCompletion::acknowledged;
  star.spec->ecn = {{.lane = 0, .kmin = Bytes{100'000}, .kmax = Bytes{100'000}, .pmax = 1}};
  star.build(3);
  star.bed.record(milliseconds(1));
  const DctcpSpec spec{.additive = BitRate{4096ll * 8'000'000'000'000 / 4'200'000},
                       .least = BitRate{1'000'000'000},
                       .round_trip = nanoseconds(4200)};
  star.bed.finish_model().add(std::make_shared<const Dctcp>(Dctcp{spec}));
  constexpr std::uint32_t packets = 10'000;
  for (const std::uint32_t from : {0u, 1u}) post(star, from, 2, packets);
  star.bed.run();
  const SimTime full = 2 * packets * packet;
  for (const std::uint32_t from : {0u, 1u}) {
    REQUIRE(told(star, from).size() == 1);
    CHECK(told(star, from)[0] > full * 9 / 10);
    CHECK(told(star, from)[0] < full * 102 / 100);
  }
  std::int64_t marked = 0, backlog = 0;
  for (const Row& row : star.bed.rows(tables::ecn)) marked += row.values[3];
  for (const Row& row : star.bed.rows(tables::queue))
    if (row.component == star.device) backlog = std::max(backlog, row.values[2]);
  CHECK(marked > 100);
  CHECK(backlog < 2 * 210'000);  // two windows
}

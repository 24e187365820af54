#include "network/port/trimmer.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "network/port/tables.hpp"
#include "network/transport/tables.hpp"
#include "tests/support/ethernet_star.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr SimTime packet{81'920};  ///< of 4,096 B at 400 Gb/s
const Address flow(EndpointId{0}, EndpointId{1}, Connection::make(0, 0, 0));

EthernetStar star_of(std::int64_t queue_packets, std::uint32_t grain = 1) {
  EthernetStar star;
  star.grain = grain;
  star.spec->lossless = star.nic.lossless = "none";
  star.spec->alpha = 0;
  star.spec->buffer = Bytes{200'000'000};
  star.spec->trims = {{.lane = 0, .queue = Bytes{4096 * queue_packets}}};
  star.nic.repair = LossRepair::trimming;
  star.nic.retransmit_timeout = milliseconds(10);
  return star;
}

/// A Trimmer of a switch with two ports, the second at half of the rate.
struct Alone {
  EthernetStar star;
  std::optional<Trimmer> trimmer;

  Alone() : star(star_of(10)) {
    star.cable_gbps = {400, 200};
    star.spec->trims[0].rate = BitRate{400 * EthernetStar::giga};
    star.build(2);
    const Model& model = star.bed.finish_model();
    const BuildContext build{star.device, model.components[star.device.value], *star.spec, model};
    trimmer.emplace(build, star.spec->trims);
  }
};

std::int64_t trimmed_packets(NetworkBed& bed) {
  std::int64_t sum = 0;
  for (const Row& row : bed.rows(tables::trim)) sum += row.values[2];
  return sum;
}

std::int64_t sum_of_repairs(NetworkBed& bed, std::size_t column) {
  std::int64_t sum = 0;
  for (const Row& row : bed.rows(tables::repair)) sum += row.values[column];
  return sum;
}

}  // namespace

TEST_CASE("a train loses its payload, a header a packet stays; what is small or not numbered is left") {
  Alone own;
  const NumberedTrain train{.number = 7, .bytes = 4096 * 3, .address = flow};
  const auto header = own.trimmer->cut(frame_of(train), 0);
  REQUIRE(header.has_value());
  CHECK(header->kind == MessageKind::trimmed_train);
  CHECK(header->bytes == 3 * NumberedTrain::header_bytes);
  CHECK(as<NumberedTrain>(*header).number == 7);
  CHECK(header->address == flow);
  CHECK(!own.trimmer->cut(frame_of(NumberedTrain{.bytes = 84, .address = flow}), 0));
  CHECK(!own.trimmer->cut(frame_of(NumberedTrain{.lane = 1, .bytes = 4096, .address = flow}), 0));
  CHECK(!own.trimmer->cut(frame_of(Train{.bytes = 4096, .address = flow}), 0));
}

TEST_CASE("what carries no payload goes first in a class that trims, and in no other") {
  Alone own;
  const auto goes_first = [&](MessageKind kind, std::uint8_t lane) {
    return own.trimmer->goes_first({.kind = kind, .lane = lane, .bytes = 86, .address = flow});
  };
  using enum MessageKind;
  for (const MessageKind kind : {trimmed_train, trim_notice, selective_acknowledgement,
                                 marked_acknowledgement, numbered_control, congestion_notice}) {
    CHECK(goes_first(kind, 0));
    CHECK(!goes_first(kind, 1));
  }
  for (const MessageKind kind : {numbered_train, marked_numbered_train, MessageKind::train, control})
    CHECK(!goes_first(kind, 0));
}

TEST_CASE("the packet that would make the queue too long is trimmed, at a port of half the rate half of it") {
  // One sender at 400 Gb/s to a sink at 200: the k-th packet finds half of the k before it, and the queue is
  // to hold q: k / 2 + 1 > q for the first time with k = 2 q - 1.
  for (const std::int64_t q : {4, 10, 25}) {
    EthernetStar star = star_of(2 * q);
    star.spec->trims[0].rate = BitRate{400 * EthernetStar::giga};
    star.cable_gbps = {400, 200};
    star.build(2);
    star.bed.record(milliseconds(1));
    star.post(0, 1, static_cast<std::uint32_t>(4096 * (2 * q - 1)));
    star.bed.run();
    CHECK(trimmed_packets(star.bed) == 0);
    EthernetStar more = star_of(2 * q);
    more.spec->trims[0].rate = BitRate{400 * EthernetStar::giga};
    more.cable_gbps = {400, 200};
    more.build(2);
    more.bed.record(milliseconds(1));
    more.post(0, 1, static_cast<std::uint32_t>(4096 * 2 * q));
    more.bed.run();
    CHECK(trimmed_packets(more.bed) == 1);
    CHECK(payload_bytes(more.bed.trains(more.gpus[1])) == 4096 * 2 * q);
  }
}

TEST_CASE("the header overtakes the queue: its sender knows a round trip and a packet later") {
  // Packet 2 q - 1 is trimmed when it comes in; its header waits for half a packet of the slow port at most.
  constexpr std::int64_t q = 25;
  EthernetStar star = star_of(q);
  star.cable = nanoseconds(333);
  star.cable_gbps = {400, 200};
  star.build(2);
  star.bed.record(milliseconds(1));
  star.post(0, 1, 4096 * 2 * q);
  star.bed.run();
  // All are out when the queue is: nothing waits for a timer, and the repeated packet comes before the end.
  const SimTime end = star.bed.trains(star.gpus[1]).back().time;
  CHECK(end < nanoseconds(400) + (2 * q + 2) * 2 * packet + 4 * star.cable);
  CHECK(sum_of_repairs(star.bed, 2) == 1);
  CHECK(sum_of_repairs(star.bed, 4) == 0);  // timeouts
}

TEST_CASE("each trimmed packet is sent again once, nothing else is, and every byte arrives") {
  for (const std::uint32_t grain : {1u, 8u})
    for (const SimTime save_at : {time_never, microseconds(40)}) {
      EthernetStar star = star_of(20, grain);
      star.build(4);
      star.bed.record(milliseconds(1));
      for (std::uint32_t k = 0; k < 3; ++k) star.post(k, 3, 4096 * 400);
      star.bed.run(save_at);
      CHECK(payload_bytes(star.bed.trains(star.gpus[3])) == 3 * 4096 * 400);
      CHECK(star.bed.waits().empty());
      CHECK(trimmed_packets(star.bed) > 100);
      CHECK(sum_of_repairs(star.bed, 4) == 0);
      CHECK(sum_of_repairs(star.bed, 5) == 0);  // discarded
      if (grain == 1) CHECK(sum_of_repairs(star.bed, 2) == trimmed_packets(star.bed));
    }
}

TEST_CASE("what finds no room in the memory is trimmed, too") {
  EthernetStar star = star_of(100'000);
  star.spec->buffer = Bytes{1 << 20};
  star.build(3);
  star.bed.record(milliseconds(1));
  for (std::uint32_t k = 0; k < 2; ++k) star.post(k, 2, 4096 * 800);
  star.bed.run();
  CHECK(payload_bytes(star.bed.trains(star.gpus[2])) == 2 * 4096 * 800);
  CHECK(trimmed_packets(star.bed) > 0);
  CHECK(sum_of_repairs(star.bed, 2) == trimmed_packets(star.bed));
  CHECK(sum_of_repairs(star.bed, 4) == 0);
}

TEST_CASE("mistakes of <trim> have their place") {
  Element element, trim;
  element.name = "ethernet-switch", trim.name = "trim", trim.file = "x.xml", trim.line = 6;
  const auto problem = [&](const char* lane, int count = 1) -> std::string {
    trim.attributes = {{"lane", lane, "x.xml", 7}, {"queue", "10 kB", "x.xml", 8}};
    element.children.assign(static_cast<std::size_t>(count), trim);
    ErrorList errors;
    static_cast<void>(read_trims(element, 2, 2, errors));
    try {
      errors.throw_if_any();
    } catch (const InputErrors& e) {
      return to_string(e.errors().front());
    }
    return "";
  };
  CHECK(problem("0").empty());
  CHECK(problem("2") == "x.xml:7: <trim> attribute 'lane': there is no class 2: the device has 2 lanes");
  CHECK(problem("1") ==
        "x.xml:6: <trim>: class 1 is lossless: its senders are paused instead (lossless=\"none\")");
  CHECK(problem("0", 2) == "x.xml:6: <ethernet-switch> has two <trim> of class 0");
}

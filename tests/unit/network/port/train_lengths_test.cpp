#include "network/port/train_lengths.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <tuple>
#include <utility>

using namespace lightrail;

namespace {

constexpr std::int64_t buffer = 512 << 10;

PortEnd end_of(std::int64_t bytes, std::uint32_t grain) {
  PortEnd end;
  end.mtu_bytes = 4096, end.grain = grain;
  end.trains_per_message = 8;
  end.far.lanes = 2, end.far.bytes = bytes;
  return end;
}

}  // namespace

TEST_CASE("short trains are a thirty-second of the buffer, and a packet at least") {
  for (const auto& [bytes, grain, packets] :
       {std::tuple{buffer, 12u, 4u}, {buffer / 4, 3u, 1u}, {buffer / 64, 12u, 1u}, {2 * buffer, 16u, 8u}}) {
    TrainLengths lengths(end_of(bytes, grain), true);
    CHECK(lengths.vary());
    CHECK(lengths.longest(0) == grain * 4096);
    lengths.sent(0, bytes, 0);
    CHECK(lengths.longest(0) == packets * 4096);
  }
}

TEST_CASE("trains are of one length where they are short anyway, stay in a server, or fill no buffer") {
  CHECK_FALSE(TrainLengths(end_of(buffer, 4), true).vary());
  CHECK_FALSE(TrainLengths(end_of(buffer, 1), true).vary());
  CHECK_FALSE(TrainLengths(end_of(buffer, 12), false).vary());
  PortEnd open = end_of(buffer, 12);
  open.far.lanes = 0;
  CHECK_FALSE(TrainLengths(open, true).vary());
}

TEST_CASE("what counts is the room over as many bytes as the buffer has, lane by lane") {
  TrainLengths lengths(end_of(buffer, 12), true);
  const std::int64_t train = 12 * 4096;
  int sent = 0;
  while (lengths.longest(0) == train) lengths.sent(0, train, 0), ++sent;
  // (1 - 12 / 128)^n < 1 / 2 from n = 8 on.
  CHECK(sent == 8);
  CHECK(lengths.longest(1) == train);
  lengths.sent(0, train, buffer);
  CHECK(lengths.longest(0) == train);
  StateWriter out;
  lengths.save(out);
  StateReader in(out.bytes());
  TrainLengths copy(end_of(buffer, 12), true);
  copy.load(in);
  for (TrainLengths* each : {&lengths, &copy}) each->sent(0, train, 0);
  CHECK(copy.longest(0) == lengths.longest(0));
  // More than the buffer is free where credits count it larger, and without flow control: no more counts.
  TrainLengths rich(end_of(buffer, 12), true);
  for (int i = 0; i < 100; ++i) rich.sent(0, train, std::int64_t{1} << 32);
  for (int i = 0; i < 8; ++i) rich.sent(0, train, 0);
  CHECK(rich.longest(0) == 4 * 4096);
}

TEST_CASE("in turns a train is an eighth of its message, a packet at least, and as long as others at most") {
  const TrainLengths lengths(end_of(buffer, 12), true);
  for (const auto& [packets, train] :
       {std::pair{1, 1u}, {15, 1u}, {16, 2u}, {63, 7u}, {95, 11u}, {96, 12u}, {1000, 12u}})
    for (const MessageKind kind : {MessageKind::train, MessageKind::delegated_train})
      CHECK(lengths.of_message(kind, packets * 4096) == train * 4096);
  CHECK(lengths.of_message(MessageKind::train, 1) == 4096);
  for (const MessageKind kind : {MessageKind::reduce, MessageKind::multicast, MessageKind::control})
    CHECK(lengths.of_message(kind, std::int64_t{16} * 4096) == 12 * 4096);
  // What was cut before is not cut again: a last train, which is shorter, goes as it came.
  for (const auto& [bytes, train] : {std::pair{1u, 1u}, {4096u, 1u}, {10'000u, 3u}, {1u << 30, 12u}})
    CHECK(lengths.of_part(bytes) == train * 4096);
  CHECK(lengths.of_part(UINT32_MAX) == 12 * 4096);
  PortEnd whole = end_of(buffer, 4096);
  whole.trains_per_message = 1;
  CHECK(TrainLengths(whole, true).of_message(MessageKind::train, 1000) == 4096 * 4096);
  CHECK(TrainLengths(whole, true).of_part(1000) == 4096 * 4096);
}

TEST_CASE("trains that begin in a stretch have its length, on NVLink its other one, and are never longer") {
  const TrainStretches stretches({{SimTime{100}, SimTime{200}, 1, 5}, {SimTime{200}, SimTime{300}, 4, 100}});
  PortEnd end = end_of(buffer, 12);
  CHECK_FALSE(TrainLengths(end, true).have_stretches());
  end.stretches = &stretches;
  const TrainLengths fabric(end, true);
  end.is_nvlink = true;
  const TrainLengths nvlink(end, false);
  REQUIRE(fabric.have_stretches());
  for (const auto& [time, packets, nvlink_packets] : {std::tuple{0, 12u, 12u},
                                                      {99, 12u, 12u},
                                                      {100, 1u, 5u},
                                                      {199, 1u, 5u},
                                                      {200, 4u, 12u},
                                                      {300, 12u, 12u}}) {
    CHECK(fabric.longest_at(SimTime{time}) == packets * 4096);
    CHECK(nvlink.longest_at(SimTime{time}) == nvlink_packets * 4096);
  }
}

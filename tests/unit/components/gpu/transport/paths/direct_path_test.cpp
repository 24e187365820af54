#include "components/gpu/transport/paths/direct_path.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

#include "tests/support/wire_messages.hpp"
#include "tests/unit/components/gpu/transport/paths/path_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

Train train(MessageKind kind, std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
  return {.kind = kind, .bytes = bytes, .address = Address(EndpointId{from}, EndpointId{to}, {})};
}

}  // namespace

TEST_CASE("a GPU without a NIC has no direct path, one with a NIC reaches every other server by it") {
  PathBed without(0), with(1);
  CHECK(!DirectPath::make(without.build(), without.host()));
  const auto path = DirectPath::make(with.build(), with.host());
  REQUIRE(path);
  for (const std::uint32_t to : {2u, 3u, 4u})
    for (const Cargo cargo : {Cargo::message, Cargo::message_by_gpu, Cargo::control})
      CHECK(path->leads_to(SimTime{0}, EndpointId{to}, cargo));
}

TEST_CASE(
    "the proxy thread posts a message after its overhead, the GPU itself and control messages at once") {
  PathBed bed(1);
  const auto path = DirectPath::make(bed.build(), bed.host());
  Context context = bed.at(nanoseconds(5));
  path->send(context, PathBed::transfer(2, 1000));
  Transfer by_gpu = PathBed::transfer(2, 500);
  by_gpu.is_by_gpu = true;
  path->send(context, by_gpu);
  path->send_control(context, train(MessageKind::control, 0, 2, 64));
  const auto sent = bed.sent();
  REQUIRE(sent.size() == 3);
  for (const auto& one : sent) CHECK(one.port == GpuPort::nic);
  CHECK(sent[0].time == nanoseconds(1'005));
  CHECK(frame_in(sent[0].payload).bytes == 1000);
  CHECK(sent[1].time == nanoseconds(5));
  CHECK(sent[2].time == nanoseconds(5));
}

TEST_CASE("what a neighbour hands over on NVLink goes out of the NIC when its tail is here") {
  PathBed bed(1);
  const auto path = DirectPath::make(bed.build(), bed.host());
  Context context = bed.at(SimTime{0});
  const Train handed = train(MessageKind::train, 1, 2, 4096);
  CHECK(!path->pass_on(context, handed, GpuPort::nic, nanoseconds(10)));
  CHECK(path->pass_on(context, train(MessageKind::control, 1, 2, 64), GpuPort::nvlink, nanoseconds(10)));
  auto sent = bed.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].port == GpuPort::nic);
  CHECK(sent[0].time == nanoseconds(10));
  CHECK(path->pass_on(context, handed, GpuPort::nvlink, nanoseconds(10)));
  sent = bed.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].port == self_port);  // the proxy thread wakes for it
  CHECK(sent[0].time == nanoseconds(10));
}

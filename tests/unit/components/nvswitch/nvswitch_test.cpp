#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/nvswitch/nvswitch.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Four GPUs of server 0 with `nics` NICs around an NVSwitch; endpoints 4 ... 7 are the GPUs of server 1 with
/// 4 NICs, endpoint 8 is a host of server 0.
struct Server {
  NetworkBed bed;
  std::vector<ComponentId> gpus;
  ComponentId device;
  explicit Server(std::uint16_t nics) {
    for (std::uint16_t i = 0; i < 4; ++i)
      gpus.push_back(bed.add_endpoint(0, i, static_cast<std::uint16_t>(i * nics / 4)));
    if (nics == 0)
      for (auto& entry : bed.book().endpoints) entry.lid = Lid{};
    for (std::uint16_t i = 0; i < 4; ++i) bed.book().endpoints.push_back({1, Lid{10u + i}, i, i});
    bed.book().gpu_count = 8;
    bed.book().endpoints.push_back({0, Lid{20}, 0, 0});
    device = bed.add(nvswitch_kind(), std::make_shared<NvswitchSpec>(), "nvswitch");
    auto nvlink = bed.link_class(nanoseconds(100), BitRate{3'600'000'000'000});
    for (std::uint16_t i = 0; i < 4; ++i) bed.connect(gpus[i], 0, device, i, nvlink);
  }
  void send(std::uint32_t to) {
    bed.script(gpus[0], SimTime{0}, 0,
               train_payload(MessageKind::train, EndpointId{0}, EndpointId{to}, {}, 4096, 1));
  }
  /// The local GPU that got the one train.
  int receiver(std::uint32_t to) {
    send(to);
    bed.run();
    for (std::size_t i = 0; i < 4; ++i)
      if (bed.trains(gpus[i]).size() == 1) return static_cast<int>(i);
    return -1;
  }
};

}  // namespace

TEST_CASE("a train for a GPU of the server goes to its port") {
  CHECK(Server(4).receiver(2) == 2);
  CHECK(Server(4).receiver(0) == 0);
}

TEST_CASE("a train for another server goes to the local GPU on the destination's rail") {
  CHECK(Server(4).receiver(7) == 3);
  CHECK(Server(4).receiver(5) == 1);
}

TEST_CASE("where two GPUs share a NIC the destination's number chooses between them") {
  // GPUs 0 and 1 use NIC 0, GPUs 2 and 3 use NIC 1.
  CHECK(Server(2).receiver(4) == 0);
  CHECK(Server(2).receiver(5) == 3);
}

TEST_CASE("a rail that this server does not have is counted round") {
  CHECK(Server(2).receiver(6) == 0);  // rail 2 of 2: NIC 0, destination's number 2
  CHECK(Server(1).receiver(7) == 3);
}

TEST_CASE("without NICs, to a host, or to nobody the error names the endpoint") {
  for (auto [nics, to] : {std::pair{0, 5u}, {4, 8u}, {4, 99u}}) {
    Server server(static_cast<std::uint16_t>(nics));
    server.send(to);
    CHECK_THROWS_WITH(server.bed.run(),
                      Catch::Contains("nvswitch4") && Catch::Contains("endpoint " + std::to_string(to)) &&
                          Catch::Contains("neither a GPU of this server nor on a rail of it"));
  }
}

TEST_CASE("an nvswitch refuses what is not a train") {
  Server server(4);
  server.bed.script(server.gpus[0], SimTime{0}, 0, work_payload(EndpointId{0}, EndpointId{1}, {}, 1));
  CHECK_THROWS_WITH(
      server.bed.run(),
      Catch::Contains("unexpected message 'work request' on port 0; an nvswitch forwards trains"));
}

TEST_CASE("two GPUs sending to one share its line and lose nothing") {
  Server server(4);
  for (int k = 0; k < 10; ++k)
    for (std::uint32_t from : {0u, 1u})
      server.bed.script(server.gpus[from], SimTime{9103 * k}, 0,
                        train_payload(MessageKind::train, EndpointId{from}, EndpointId{3}, {}, 4096, 1));
  server.bed.run();
  auto got = server.bed.trains(server.gpus[3]);
  REQUIRE(got.size() == 20);
  CHECK(got.back().time == nanoseconds(200) + SimTime{19 * 9103});  // 4096 B at 3.6 Tb/s: 9,103 ps
}

TEST_CASE("links of a GPU are spread over the chips as evenly as may be") {
  NvswitchSpec spec;
  spec.planes = 4, spec.gpu_links = 18;
  CHECK(spec.plane_shares().empty());  // messages use all chips: no lines of their own
  spec.plane_hash = PlaneHash::flow;
  CHECK(spec.plane_shares() == std::vector<std::uint32_t>{4, 5, 4, 5});
  spec.gpu_links = 0;
  CHECK(spec.plane_shares() == std::vector<std::uint32_t>{1, 1, 1, 1});
  spec.planes = 18, spec.gpu_links = 18;
  CHECK(spec.plane_shares() == std::vector<std::uint32_t>(18, 1));
}

// GPU i of n has port k n + i on chip k.
TEST_CASE("what comes in on a chip leaves by it") {
  for (std::uint32_t chip : {0u, 1u, 2u}) {
    NetworkBed bed;
    std::vector<ComponentId> gpus;
    for (std::uint16_t i = 0; i < 4; ++i) gpus.push_back(bed.add_endpoint(0, i, i));
    bed.book().gpu_count = 4;
    auto spec = std::make_shared<NvswitchSpec>();
    spec->ports = 4, spec->planes = 3, spec->plane_hash = PlaneHash::flow;
    const ComponentId device = bed.add(nvswitch_kind(), spec, "nvswitch");
    const auto nvlink = bed.link_class(nanoseconds(100), BitRate{1'200'000'000'000});
    for (std::uint32_t k = 0; k < 3; ++k)
      for (std::uint32_t i = 0; i < 4; ++i)
        bed.connect(gpus[i], static_cast<PortIndex>(k), device, static_cast<PortIndex>(4 * k + i), nvlink);
    bed.script(gpus[0], SimTime{0}, static_cast<PortIndex>(chip),
               train_payload(MessageKind::train, EndpointId{0}, EndpointId{2}, {}, 4096, 1));
    bed.run();
    const auto got = bed.trains(gpus[2]);
    REQUIRE(got.size() == 1);
    CHECK(got.front().port == chip);
  }
}

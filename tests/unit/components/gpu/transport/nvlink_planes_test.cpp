#include "components/gpu/transport/nvlink_planes.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tests/support/devices.hpp"
#include "tests/support/test_model.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// A GPU with NVSwitch, NIC, host, controller and scheduler, then a second NIC and further planes.
struct Gpu {
  Model model;
  ComponentId gpu;
  explicit Gpu(const std::vector<std::int64_t>& links) {
    TestModel made;
    const auto spec = std::make_shared<const Spec>();
    gpu = made.add(kind_named("gpu", false), spec);
    const ComponentId nvswitch = made.add(kind_named("nvswitch", false), std::make_shared<NvswitchTraits>());
    const auto join = [&](std::int64_t lines) {
      made.connect(gpu, nvswitch, nanoseconds(50), BitRate{lines * 200'000'000'000});
    };
    join(links[0]);
    for (const char* other : {"nic", "host", "controller", "scheduler", "nic"})
      made.connect(gpu, made.add(kind_named(other, true), spec), nanoseconds(50));
    for (std::size_t k = 1; k < links.size(); ++k) join(links[k]);
    model = made.build();
  }
  [[nodiscard]] NvlinkPlanes planes() const {
    const ComponentRecord& record = model.components[gpu.value];
    return NvlinkPlanes(BuildContext{gpu, record, *model.specs[record.spec], model});
  }
};

Outgoing flow(std::uint32_t from, std::uint32_t to, std::uint32_t connection,
              MessageKind kind = MessageKind::train) {
  Outgoing message;
  message.from = EndpointId{from}, message.to = EndpointId{to};
  message.connection = Connection{connection};
  message.kind = kind;
  return message;
}

}  // namespace

TEST_CASE("planes are the first port and those behind that lead to an NVSwitch") {
  const NvlinkPlanes planes = Gpu({4, 5, 5, 4}).planes();
  std::vector<PortIndex> ports;
  for (PortIndex port = 0; port < 9; ++port)
    if (planes.has(port)) ports.push_back(port);
  CHECK(ports == std::vector<PortIndex>{0, 6, 7, 8});
}

TEST_CASE("of one plane everything takes the first port") {
  const NvlinkPlanes planes = Gpu({18}).planes();
  for (std::uint32_t c = 0; c < 100; ++c) CHECK(planes.port_of(flow(0, 1, c), SimTime{0}) == 0);
}

// Of 18,000 flows 1,000 a link; a binomial's deviation is at most sqrt(18,000 x 5/18 x 13/18) = 60.
TEST_CASE("flows spread over planes in proportion to their links") {
  const NvlinkPlanes planes = Gpu({4, 5, 5, 4}).planes();
  std::map<PortIndex, int> flows;
  for (std::uint32_t c = 0; c < 18'000; ++c) ++flows[planes.port_of(flow(c % 8, 8 + c % 7, c), SimTime{0})];
  REQUIRE(flows.size() == 4);
  for (const auto& [port, links] : std::map<PortIndex, int>{{0, 4}, {6, 5}, {7, 5}, {8, 4}})
    CHECK(std::abs(flows[port] - 1000 * links) < 4 * 60);
}

// Balls in bins: the mean of the fullest of 4 planes with 8 flows, over all 4^8 ways to place them, is 3.57;
// its deviation is below 1, so that of the mean of 10,000 draws below 0.01.
TEST_CASE("the fullest plane has as many flows as balls in bins have") {
  double expected = 0;
  for (std::uint32_t way = 0; way < 1u << 16; ++way) {
    std::array<int, 4> bins{};
    for (std::uint32_t ball = 0; ball < 8; ++ball) ++bins[way >> 2 * ball & 3];
    expected += *std::max_element(bins.begin(), bins.end()) / 65536.0;
  }
  const NvlinkPlanes planes = Gpu({1, 1, 1, 1}).planes();
  double drawn = 0;
  for (std::uint32_t draw = 0; draw < 10'000; ++draw) {
    std::map<PortIndex, int> bins;
    for (std::uint32_t ball = 0; ball < 8; ++ball)
      ++bins[planes.port_of(flow(0, 1 + ball, draw), SimTime{0})];
    int fullest = 0;
    for (const auto& [port, count] : bins) fullest = std::max(fullest, count);
    drawn += fullest / 10'000.0;
  }
  CHECK(std::abs(drawn - expected) < 0.04);
}

TEST_CASE("what is added up in a switch takes the same plane from all GPUs") {
  const NvlinkPlanes planes = Gpu({1, 1, 1, 1}).planes();
  for (std::uint32_t c = 0; c < 64; ++c)
    for (std::uint32_t gpu = 1; gpu < 8; ++gpu) {
      CHECK(planes.port_of(flow(gpu, 3, c, MessageKind::reduce), SimTime{0}) ==
            planes.port_of(flow(0, 3, c, MessageKind::reduce), SimTime{0}));
      CHECK(planes.port_of(flow(gpu, (gpu + 1) % 8, c, MessageKind::fold), SimTime{0}) ==
            planes.port_of(flow(0, 1, c, MessageKind::fold), SimTime{0}));
    }
}

namespace {

/// Two GPUs of a server with four planes. GPU 1's link to plane 2 is
/// down in [100, 200) us; senders know 5 us later.
struct FailingPlanes {
  Model model;
  std::shared_ptr<HealthTable> table;
  FailingPlanes() {
    TestModel made;
    const auto spec = std::make_shared<const Spec>();
    auto book = std::make_shared<AddressBook>();
    book->gpu_count = 3;
    std::vector<ComponentId> gpus;
    for (std::uint16_t g = 0; g < 2; ++g) {
      gpus.push_back(made.add(kind_named("gpu", false), spec));
      book->endpoints.push_back({0, Lid{g}, g, g});
    }
    book->endpoints.push_back({1, Lid{2}, 0, 0});
    const ComponentId nvswitch = made.add(kind_named("nvswitch", false), std::make_shared<NvswitchTraits>());
    for (const ComponentId gpu : gpus) made.connect(gpu, nvswitch, nanoseconds(50));
    for (const ComponentId gpu : gpus)
      for (const char* other : {"nic", "host", "controller", "scheduler"})
        made.connect(gpu, made.add(kind_named(other, true), spec), nanoseconds(50));
    for (int plane = 1; plane < 4; ++plane)
      for (const ComponentId gpu : gpus) made.connect(gpu, nvswitch, nanoseconds(50));
    model = made.build();
    model.add<AddressBook>(book);
    // The links of plane 0 are the first two cables; eight others follow.
    const std::uint32_t link = 2 * (2 + 8 + 2 * 1 + 1);
    table = std::make_shared<HealthTable>(
        HealthTable::Delays{microseconds(5), microseconds(50)},
        HealthTable::Outages{{LinkId{link}, {{microseconds(100), microseconds(200)}}},
                             {LinkId{link + 1}, {{microseconds(100), microseconds(200)}}}});
    model.add<HealthTable>(table);
  }
  [[nodiscard]] NvlinkPlanes planes(std::uint32_t gpu) const {
    const ComponentRecord& record = model.components[gpu];
    return NvlinkPlanes(BuildContext{ComponentId{gpu}, record, *model.specs[record.spec], model});
  }
};

}  // namespace

// Plane k > 0 is at port 4 + k. A quarter of 1,000 flows is on each plane, with a deviation of 14.
TEST_CASE("flows that need a link that senders know to be down go by the other planes, others stay") {
  const FailingPlanes place;
  const NvlinkPlanes planes = place.planes(0);
  REQUIRE(planes.can_fail());
  CHECK(planes.next_change(SimTime{0}) == microseconds(105));
  CHECK(planes.next_change(microseconds(105)) == microseconds(205));
  CHECK(planes.next_change(microseconds(205)) == time_never);
  std::map<PortIndex, int> flows;
  for (std::uint32_t c = 0; c < 1000; ++c) {
    const PortIndex before = planes.port_of(flow(0, 1, c), microseconds(104));
    const PortIndex in = planes.port_of(flow(0, 1, c), microseconds(105));
    CHECK(planes.port_of(flow(0, 1, c), microseconds(205)) == before);
    if (before != 6) CHECK(in == before);
    ++flows[in];
    for (const MessageKind kind : {MessageKind::reduce, MessageKind::multicast, MessageKind::fold})
      CHECK(planes.port_of(flow(0, 1, c, kind), microseconds(150)) != 6);
    CHECK(planes.port_of(flow(0, 2, c), microseconds(150)) != 6);  // PXN: by which GPU it goes is not asked
  }
  CHECK(flows.size() == 3);
  for (const auto& [port, count] : flows) CHECK(std::abs(count - 333) < 4 * 15);
}

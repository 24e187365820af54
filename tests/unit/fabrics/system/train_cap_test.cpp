#include "fabrics/system/train_cap.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "components/nic/nic.hpp"
#include "components/nvswitch/nvswitch.hpp"
#include "components/switch/switch.hpp"
#include "tests/unit/fabrics/test_system.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Two switches, joined by an electrical and an NVLink cable of trains of 16 packets of 4 KiB.
Model joined(std::int64_t buffer, std::int64_t other_buffer) {
  Model model;
  for (const std::int64_t bytes : {buffer, other_buffer}) {
    auto spec = std::make_shared<SwitchSpec>();
    spec->buffer = Bytes{bytes};
    model.specs.push_back(spec);
  }
  model.components.resize(2);
  model.components[1].spec = 1;
  for (const char* medium : {"electrical", "nvlink"}) {
    const auto index = static_cast<std::uint16_t>(model.link_classes.size());
    LinkClass link;
    link.grain = 16, link.medium = medium;
    model.link_classes.push_back(link);
    model.links.push_back({ComponentId{0}, ComponentId{1}, 0, 0, index});
    model.links.push_back({ComponentId{1}, ComponentId{0}, 0, 0, index});
  }
  return model;
}

/// A NIC on a switch with such a buffer, by a cable of trains of `grain` packets of 4 KiB.
Model nic_on_switch(std::int64_t buffer, std::uint32_t grain) {
  Model model;
  auto fabric = std::make_shared<SwitchSpec>();
  fabric->buffer = Bytes{buffer};
  model.specs = {std::make_shared<NicSpec>(), fabric};
  model.components.resize(2);
  model.components[0].port_count = model.components[1].port_count = 1;
  model.components[1].spec = model.components[1].first_port = 1;
  LinkClass link;
  link.grain = grain, link.mtu_bytes = 4096;
  model.link_classes.push_back(link);
  model.links = {{ComponentId{0}, ComponentId{1}, 0, 0, 0}, {ComponentId{1}, ComponentId{0}, 0, 0, 0}};
  model.ports = {{LinkId{0}}, {LinkId{1}}};
  return model;
}

}  // namespace

TEST_CASE("NICs that lack credits send a thirty-second of the buffer, where that is shorter") {
  CHECK(short_trains(nic_on_switch(512 << 10, 12)) == 4);
  CHECK(short_trains(nic_on_switch(1 << 20, 16)) == 8);
  CHECK(short_trains(nic_on_switch(2 << 20, 16)) == 0);
  CHECK(short_trains(nic_on_switch(512 << 10, 1)) == 0);
  CHECK(short_trains(joined(512 << 10, 512 << 10)) == 0);  // no NIC
}

// 512 KiB are 128 packets, a tenth of them 12; 64 KiB are 16, a tenth of them 1.6.
TEST_CASE("a train takes a tenth of the smallest buffer of the fabric at most, and one packet at least") {
  for (const auto& [kib, packets] : {std::pair{1024, 16u}, {640, 16u}, {512, 12u}, {64, 1u}, {16, 1u}}) {
    INFO(kib);
    Model model = joined(2 << 20, kib * 1024);
    const auto cap = cap_trains(model, nullptr);
    CHECK(model.link_classes[0].grain == packets);
    CHECK(model.link_classes[1].grain == 16);  // NVLink
    CHECK((cap != nullptr) == (packets < 16));
    if (cap) CHECK(cap->used == packets);
  }
}

TEST_CASE("a train that was cut is named with what was asked for and why") {
  Model model = joined(512 * 1024, 2 << 20);
  CHECK(cap_trains(model, nullptr)->text() ==
        "of 12 packets instead of 16: a tenth of the smallest buffer (512 KiB)");
  Model small = joined(64 * 1024, 2 << 20);
  CHECK(cap_trains(small, nullptr)->text() ==
        "of 1 packet instead of 16: a tenth of the smallest buffer (64 KiB)");
}

TEST_CASE("trains that fill more than half of an NVSwitch's buffer are told, and kept") {
  const auto said = [](std::uint32_t packets, std::int64_t buffer) {
    auto spec = std::make_shared<NvswitchSpec>();
    spec->buffer = Bytes{buffer};
    Model model;
    model.specs = {spec};
    model.components.resize(1);
    LinkClass line;
    line.grain = packets, line.mtu_bytes = 4096, line.medium = "nvlink";
    model.link_classes = {line};
    model.links = {{ComponentId{0}, ComponentId{0}, 0, 0, 0}};
    return long_nvlink_trains(model);
  };
  CHECK(said(128, 1 << 20).empty());
  CHECK(said(129, 1 << 20) ==
        "trains of 516 KiB on NVLink take more than half of an NVSwitch's buffer (1 MiB): steps were 0.2 to "
        "0.9 % longer so than packet by packet (docs/scaling.md)");
  CHECK(said(129, 2 << 20).empty());
  CHECK(long_nvlink_trains(nic_on_switch(1 << 20, 200)).empty());
}

// 1 MiB are 256 packets; a threshold of n marks above 16 (16 - n) of them.
TEST_CASE("a train takes an eighth of the queue that switches mark at, and one packet at least") {
  for (const auto& [threshold, packets] : {std::pair{15u, 2u}, {14u, 4u}, {12u, 8u}, {8u, 16u}, {0u, 16u}}) {
    INFO(threshold);
    CongestionSpec spec;
    spec.threshold = threshold;
    Model model = joined(1 << 20, 2 << 20);
    const auto cap = cap_trains(model, &spec);
    CHECK(model.link_classes[0].grain == packets);
    CHECK(model.link_classes[1].grain == 16);  // NVLink
    CHECK((cap != nullptr) == (packets < 16));
  }
  Model small = joined(512 * 1024, 2 << 20);
  const CongestionSpec standard;
  CHECK(cap_trains(small, &standard)->text() ==
        "of 1 packet instead of 16: an eighth of the queue that congestion control marks at (32 KiB)");
}

TEST_CASE("what switches mark at is read with the system, once: mistakes are told there") {
  const std::string whole = cluster(2, 1, 1, "") + fabric("kind=\"single-switch\"", 4);
  CHECK_FALSE(system(whole).resource<CongestionSpec>());
  const Model model = system(whole + "<congestion-control threshold=\"8\"/>");
  REQUIRE(model.resource<CongestionSpec>());
  CHECK(model.resource<CongestionSpec>()->threshold == 8);
  CHECK_THAT(problems(whole + "<congestion-control threshold=\"16\"/>"),
             Catch::Contains("<congestion-control> attribute 'threshold': '16' is out of range (0 ... 15)"));
}

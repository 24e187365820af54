#include "workloads/collective/nccl_settings.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

#include "engine/scenario/scenario.hpp"

namespace lightrail {

TEST_CASE("the catalogue's NCCL 2.21 is what a scenario without <nccl> gets") {
  Scenario scenario = load_scenario("tests/unit/workloads/collective/nccl.xml", {{}, Catalogue("configs")});
  ErrorList errors;
  NcclSettings from_catalogue = parse_nccl_settings(scenario.root.child("nccl"), {}, errors);
  errors.throw_if_any();
  auto values = nccl_parameters({}).values(from_catalogue),
       defaults = nccl_parameters({}).values(NcclSettings{});
  REQUIRE(values.size() == defaults.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    INFO(values[i].name);
    CHECK(values[i].value == defaults[i].value);
  }
}

TEST_CASE("software time is NCCL's constant less what the network models, never negative") {
  NcclSettings s;
  CHECK(s.software(Protocol::simple, Medium::nvlink) == nanoseconds(3'400 - 200));
  CHECK(s.software(Protocol::ll, Medium::nvlink) == nanoseconds(600 - 200));
  CHECK(s.software(Protocol::simple, Medium::net) == nanoseconds(14'000 - 1'200 - 1'000));
  CHECK(s.software(Protocol::ll, Medium::local) == SimTime{0});
  s.net_path = microseconds(5);
  CHECK(s.software(Protocol::ll, Medium::net) == SimTime{0});
}

TEST_CASE("protocols put their overhead on the wire, rounded up") {
  NcclSettings s;
  CHECK(s.wire_bytes(Protocol::simple, 1'000'001) == 1'000'001);
  CHECK(s.wire_bytes(Protocol::ll, 1'000'001) == 2'000'002);
  CHECK(s.wire_bytes(Protocol::ll128, 9'200) == 10'000);
  CHECK(s.wire_bytes(Protocol::ll128, 9'201) == 10'002);
  CHECK(s.wire_bytes(Protocol::ll, std::int64_t{1} << 44) == std::int64_t{1} << 45);
}

TEST_CASE("a block of a ring is two slices of each channel over the network, none below 32 KiB") {
  NcclSettings s;  // two channels a NIC, slices of 2 steps of 512 KiB
  CHECK(s.ring_messages(1) == 2);
  CHECK(s.ring_messages(64 * 1024) == 2);
  CHECK(s.ring_messages(64 * 1024 + 2) == 4);
  CHECK(s.ring_messages(4 << 20) == 4);
  CHECK(s.ring_messages(16 << 20) == 16);
  CHECK(s.blocks_ahead(Protocol::simple) == 2);
  CHECK(s.blocks_ahead(Protocol::ll) == 8);
  s.ring_chunk_steps = 8;
  CHECK(s.blocks_ahead(Protocol::simple) == 1);
}

TEST_CASE("an adapter's plugin costs the line its time for every message and what staged bytes take longer") {
  NcclSettings s;
  s.net_rate = BitRate{100'000'000'000};
  s.plugin.message_time = microseconds(2);
  CHECK(s.net_wire_bytes(Protocol::simple, 1'000'000, 4) == 1'000'000 + 4 * 25'000);
  s.plugin.message_time = SimTime{0};
  s.plugin.staged_bytes = Bytes{100'000};
  s.plugin.staged_rate = BitRate{50'000'000'000};
  CHECK(s.net_wire_bytes(Protocol::simple, 1'000'000, 4) == 1'000'000 + 4 * 100'000);
  CHECK(s.net_wire_bytes(Protocol::simple, 1'000'000, 20) == 2'000'000);
  CHECK(s.net_wire_bytes(Protocol::simple, 0, 1) == 0);
  CHECK(s.wire_bytes(Protocol::simple, Medium::net, 1'000'000) == 1'000'000 + 8 * 100'000);
  CHECK(s.wire_bytes(Protocol::simple, Medium::nvlink, 1'000'000) == 1'000'000);
}

TEST_CASE("messages up to 16 KiB of sends and all-to-alls use LL unless a protocol is set") {
  NcclSettings s;
  CHECK(s.point_protocol(16'384) == Protocol::ll);
  CHECK(s.point_protocol(16'385) == Protocol::simple);
  s.protocol = Protocol::ll128;
  CHECK(s.point_protocol(1) == Protocol::ll128);
}

TEST_CASE("a GPU kind's own figures of DeepEP take the place of the library's") {
  const NcclSettings library;
  NcclDevice device;
  CHECK(library.on(device).deepep_sm_rate == library.deepep_sm_rate);
  CHECK(library.on(device).deepep_low_latency_nvlink == library.deepep_low_latency_nvlink);
  CHECK(library.on(device).deepep_low_latency_nvlink_efficiency ==
        library.deepep_low_latency_nvlink_efficiency);
  device.deepep_sm_rate = BitRate{160'000'000'000};
  device.deepep_low_latency_nvlink = microseconds(17);
  device.deepep_low_latency_nvlink_efficiency = 0.9;
  const NcclSettings own = library.on(device);
  CHECK(own.deepep_sm_rate == device.deepep_sm_rate);
  CHECK(own.deepep_low_latency_nvlink == microseconds(17));
  CHECK(own.deepep_low_latency_nvlink_efficiency == 0.9);
  CHECK(own.deepep_start == library.deepep_start);
  NcclSettings other_kernels = library;
  other_kernels.deepep_sm_rate = BitRate{0};
  CHECK(other_kernels.on(device).deepep_sm_rate == BitRate{0});
}

TEST_CASE("of two GPU kinds the slower one's figures of DeepEP hold, or those of the one that has them") {
  NcclDevice a, b;
  a.deepep_sm_rate = BitRate{160'000'000'000}, b.deepep_sm_rate = BitRate{120'000'000'000};
  a.deepep_low_latency_nvlink = microseconds(17), b.deepep_low_latency_nvlink = microseconds(21);
  a.deepep_low_latency_nvlink_efficiency = 0.9, b.deepep_low_latency_nvlink_efficiency = 0.8;
  for (const NcclDevice& both :
       {slower(a, b), slower(b, a), slower(b, NcclDevice{}), slower(NcclDevice{}, b)}) {
    CHECK(both.deepep_sm_rate == b.deepep_sm_rate);
    CHECK(both.deepep_low_latency_nvlink == b.deepep_low_latency_nvlink);
    CHECK(both.deepep_low_latency_nvlink_efficiency == b.deepep_low_latency_nvlink_efficiency);
  }
}

TEST_CASE("a wrong value of <nccl> is refused with its choices") {
  Element element;
  element.name = "nccl";
  element.attributes = {{"protocol", "lll", "x.xml", 3, false}, {"pxn", "perhaps", "x.xml", 4, false}};
  ErrorList errors;
  static_cast<void>(parse_nccl_settings(&element, {}, errors));
  CHECK(errors.size() == 2);
}

}  // namespace lightrail

#include "workloads/collective/nccl_settings.hpp"

#include <catch2/catch.hpp>

#include "engine/scenario/scenario.hpp"

namespace lightrail {

TEST_CASE("the catalogue's NCCL 2.21 is what a scenario without <nccl> gets") {
  Scenario scenario = load_scenario("tests/unit/collective/nccl.xml", {{}, "configs"});
  ErrorList errors;
  NcclSettings from_catalogue = parse_nccl_settings(scenario.root.child("nccl"), errors);
  errors.throw_if_any();
  auto values = nccl_parameters().values(from_catalogue), defaults = nccl_parameters().values(NcclSettings{});
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

TEST_CASE("messages up to 16 KiB of sends and all-to-alls use LL unless a protocol is set") {
  NcclSettings s;
  CHECK(s.point_protocol(16'384) == Protocol::ll);
  CHECK(s.point_protocol(16'385) == Protocol::simple);
  s.protocol = Protocol::ll128;
  CHECK(s.point_protocol(1) == Protocol::ll128);
}

TEST_CASE("a wrong value of <nccl> is refused with its choices") {
  Element element;
  element.name = "nccl";
  element.attributes = {{"protocol", "lll", "x.xml", 3, false}, {"pxn", "perhaps", "x.xml", 4, false}};
  ErrorList errors;
  parse_nccl_settings(&element, errors);
  CHECK(errors.size() == 2);
}

}  // namespace lightrail

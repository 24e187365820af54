#include "fabrics/fabric_registry.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/unit/fabrics/test_system.hpp"

using namespace lightrail;
using namespace lightrail::test;
using Catch::Contains;

namespace {

struct ChainSpec {
  std::uint32_t first = 0;
};

/// All NICs on one switch, from port `first` on.
void build(FabricBuild& fabric, const ChainSpec& spec) {
  const auto part = read_switch(fabric);
  const auto host = fabric.links.cable("host", Need::required);
  if (fabric.has_errors() || !fabric.require_nics()) return;
  SwitchRoute route;
  const auto count = static_cast<std::uint32_t>(fabric.nics.size());
  route.down = {
      {fabric.counter.next_lid, fabric.counter.next_lid + count, 1, static_cast<PortIndex>(spec.first), 1}};
  const ComponentId device = fabric.add_switch(*part, "hub", 0, fabric.add_route(route));
  for (std::uint32_t i = 0; i < count; ++i)
    fabric.attach(fabric.nics[i].nic, fabric.counter.next_lid++, device, spec.first + i, *host);
}

std::shared_ptr<const FabricKind> hub_kind() {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "hub";
  kind->doc = "A kind of the test.";
  kind->link_roles = {"host"};
  bind_fabric(*kind, Describe<ChainSpec>().field("first", &ChainSpec::first, "port of the first NIC", 0u, 9u),
              build);
  return kind;
}

Element element_of_kind(const std::string& kind) {
  Element fabric;
  fabric.name = "fabric";
  fabric.attributes.push_back({"kind", kind, "a.xml", 3});
  return fabric;
}

}  // namespace

TEST_CASE("every built-in kind of fabric is found by its name and documented") {
  const FabricRegistry fabrics = built_in_fabrics();
  ErrorList errors;
  for (const auto& kind : fabrics.kinds()) {
    CHECK(fabrics.of(element_of_kind(kind->name), errors) == kind.get());
    CHECK(!kind->doc.empty());
    CHECK(kind->joins_servers == static_cast<bool>(kind->build));
    for (const ParameterDoc& parameter : kind->parameters) CHECK(!parameter.doc.empty());
  }
  CHECK(errors.is_empty());
}

TEST_CASE("an unknown kind of fabric is named with the one that was meant") {
  const FabricRegistry fabrics = built_in_fabrics();
  ErrorList errors;
  CHECK(fabrics.of(element_of_kind("fattree"), errors) == nullptr);
  CHECK_THROWS_WITH(errors.throw_if_any(),
                    Contains("a.xml:3: <fabric> attribute 'kind': invalid choice 'fattree'") &&
                        Contains("did you mean 'fat-tree'"));
}

TEST_CASE("two kinds of one name are refused") {
  FabricRegistry fabrics = built_in_fabrics();
  fabrics.add(hub_kind());
  CHECK_THROWS_WITH(fabrics.add(hub_kind()), Contains("two kinds of fabric are called 'hub'"));
}

TEST_CASE("a kind that is added builds its switches, links and routes") {
  FabricRegistry fabrics = built_in_fabrics();
  fabrics.add(hub_kind());
  const std::string xml = cluster(3, 1, 1, "") + "<fabric kind=\"hub\" first=\"2\"><switch ports=\"8\"/>" +
                          "<link role=\"host\" " + copper + "/></fabric>";
  const Model model = system(xml, fabrics);
  expect_sound(model);
  const ComponentId hub = find(model, "hub0");
  for (std::uint32_t i = 0; i < 3; ++i)
    CHECK(far_end(model, hub, 2 + i) == find(model, "nic" + std::to_string(i)));
  CHECK(expect_all_reachable(model, true) == 1);
}

TEST_CASE("a kind refuses the roles and attributes that it does not have") {
  CHECK_THAT(problems(cluster(2, 1, 1, "") + "<fabric kind=\"single-switch\"><switch ports=\"4\"/>" +
                      "<link role=\"host\" " + copper + "/><link role=\"optical\" " + copper + "/></fabric>"),
             Contains("<link> attribute 'role': invalid choice 'optical'"));
  const auto has = [](const FabricKind& kind, const std::string& name) {
    return std::any_of(kind.parameters.begin(), kind.parameters.end(),
                       [&](const ParameterDoc& p) { return p.name == name; });
  };
  const FabricRegistry all = built_in_fabrics();
  for (const auto& kind : all.kinds()) CHECK(has(*kind, "optical-nics") == (kind->name == "mixnet"));
}

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

#include "components/registry.hpp"
#include "fabrics/system/bill_of_materials.hpp"
#include "network/circuits/rails.hpp"
#include "network/wire/address_book.hpp"
#include "tests/unit/links/link_xml.hpp"

#include "fabrics/system/build_system.hpp"

using namespace lightrail;

TEST_CASE("a photonic rail joins one NIC of every server, and is billed for modules and optical ports only") {
  const Scenario scenario = test::scenario_of(
      "<cluster servers=\"4\"><server catalogue=\"servers/dgx_h100\"/></cluster>"
      "<fabric kind=\"photonic-rails\" hold=\"7 us\"><ocs ports=\"48\" insertion-loss=\"0.5 dB\"/>"
      "<rail-controller/><link role=\"optical\" catalogue=\"links/ndr_fr4\" length=\"20 m\"/></fabric>"
      "<prices><price rate=\"400 Gb/s\" transceiver=\"1 USD\" nic=\"10 USD\" switch-port=\"100 USD\" "
      "ocs-port=\"1000 USD\" panel-port=\"5 USD\" fibre=\"10000 USD\"/></prices>");
  ErrorList list;
  const Model model = build_system(scenario, built_in_kinds(), built_in_fabrics(), list);
  REQUIRE(test::texts(list) == "");
  CHECK(model.resource<Rails>()->servers == 4);
  CHECK(model.resource<Rails>()->hold == microseconds(7));
  CHECK(model.resource<AddressBook>()->lid_count == 32);
  std::uint32_t switches = 0, controllers = 0;
  for (std::uint32_t c = 0; c < model.components.size(); ++c) {
    const ComponentRecord& record = model.components[c];
    controllers += model.kinds[record.kind]->name == "rail-controller";
    if (model.kinds[record.kind]->name != "ocs") continue;
    // Port s: NIC `switches` of server s.
    for (std::uint32_t s = 0; s < 4; ++s) {
      const ComponentId nic = model.links[model.ports[record.first_port + s].out.value].to;
      CHECK(model.component_name(nic) == "nic" + std::to_string(s * 8 + switches));
    }
    CHECK(record.port_count == 49);
    ++switches;
  }
  CHECK(switches == 8);
  CHECK(controllers == 8);
  // 32 NICs with a module, a fibre and an optical port each.
  CHECK(model.resource<BillOfMaterials>()->cost().value == 32 * (10 + 1 + 10'000 + 1000));
}

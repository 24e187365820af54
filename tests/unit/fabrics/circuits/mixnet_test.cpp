#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "components/registry.hpp"
#include "fabrics/system/bill_of_materials.hpp"
#include "network/circuits/regions.hpp"
#include "network/wire/address_book.hpp"
#include "tests/unit/links/link_xml.hpp"

#include "fabrics/system/build_system.hpp"

using namespace lightrail;

namespace {

Model built(const std::string& inner, std::string& errors) {
  const Scenario scenario = test::scenario_of(inner);
  ErrorList list;
  Model model = build_system(scenario, built_in_kinds(), built_in_fabrics(), list);
  errors = test::texts(list);
  return model;
}

std::string cluster(int servers) {
  return "<cluster servers=\"" + std::to_string(servers) +
         "\"><server catalogue=\"servers/dgx_h100\"/></cluster>";
}

const std::string optical = "<link role=\"optical\" catalogue=\"links/ndr_fr4\" length=\"20 m\"/>";

std::string mixnet(const std::string& attributes, const std::string& more) {
  return "<fabric kind=\"mixnet\" " + attributes +
         "><switch catalogue=\"switches/qm9700\"/><ocs ports=\"48\" insertion-loss=\"0.5 dB\"/>"
         "<link role=\"host\" catalogue=\"links/ndr_dr4\"/><link role=\"trunk\" "
         "catalogue=\"links/ndr_dr4\"/>" +
         optical + more + "</fabric>";
}

}  // namespace

TEST_CASE("a region's servers share an optical switch, a controller and no NIC with others") {
  std::string errors;
  Model model = built(cluster(12) + mixnet("region-servers=\"8\"", "<controller/>"), errors);
  REQUIRE(errors == "");
  const auto& regions = *model.resource<Regions>();
  REQUIRE(regions.regions.size() == 2);
  CHECK(regions.regions[0].servers.size() == 8);
  CHECK(regions.regions[1].servers == std::vector<std::uint32_t>{8, 9, 10, 11});
  CHECK(regions.packet_nics == std::vector<std::uint16_t>{3, 7});
  CHECK(regions.optical_nics == std::vector<std::uint16_t>{0, 1, 2, 4, 5, 6});
  CHECK(regions.place(9).region == 1);
  CHECK(regions.place(9).member == 1);
  // GPUs receive on the packet NIC of their half; optical NICs have no address.
  const auto& book = *model.resource<AddressBook>();
  CHECK(book.lid_count == 24);
  CHECK(book[EndpointId{8}].nic == 3);
  CHECK(book[EndpointId{13}].nic == 7);
  // Every NIC of a region has a circuit at the start, 8 x 6 / 2 of them.
  CHECK(regions.regions[0].circuits.size() == 24);
  std::uint32_t controllers = 0;
  for (const ComponentRecord& record : model.components)
    if (model.kinds[record.kind]->name == "controller") {
      CHECK(record.port_count == 1 + 8 * (controllers == 0 ? 8 : 4));
      ++controllers;
    }
  CHECK(controllers == 2);
}

TEST_CASE("a patch panel joins servers by strides, and every server knows a way to every other") {
  std::string errors;
  Model model =
      built(cluster(16) +
                "<fabric kind=\"topoopt\" strides=\"1 4\"><ocs ports=\"128\" insertion-loss=\"0.5 dB\"/>" +
                optical + "</fabric>",
            errors);
  REQUIRE(errors == "");
  const Regions::Region& region = model.resource<Regions>()->regions.at(0);
  CHECK(region.circuits.size() == 32);
  for (std::uint32_t from = 0; from < 16; ++from)
    for (std::uint32_t to = 0; to < 16; ++to) {
      std::uint32_t at = from, hops = 0;
      while (at != to && hops < 16) at = region.next_hop[at * 16 + to], ++hops;
      CHECK(at == to);
      CHECK(hops <= 4);  // two steps of each stride at most
    }
}

TEST_CASE("a patch panel by demand joins servers of a group, and the groups by a ring") {
  std::string errors;
  Model model = built(
      cluster(16) +
          "<fabric kind=\"topoopt\" demand-servers=\"4\"><ocs ports=\"128\" insertion-loss=\"0.5 dB\"/>" +
          optical + "</fabric>",
      errors);
  REQUIRE(errors == "");
  const Regions::Region& region = model.resource<Regions>()->regions.at(0);
  CHECK(region.circuits.size() == 64);  // all eight NICs of every server
  for (std::uint32_t a = 0; a < 16; ++a)
    for (std::uint32_t b = 0; b < 16; ++b) {
      const std::uint32_t next = region.next_hop[a * 16 + b];
      if (a != b && a / 4 == b / 4) CHECK(next == b);  // a circuit of their own
      if (a / 4 != b / 4) CHECK((next / 4 == a / 4 || next == (a + 1) % 16 || next == (a + 15) % 16));
    }
}

TEST_CASE("a bill counts what is there: NICs, all switch ports, modules, fibres, used optical ports") {
  std::string errors;
  Model model = built(
      cluster(8) + mixnet("region-servers=\"8\"", "") +
          "<prices><price rate=\"400 Gb/s\" transceiver=\"1 USD\" nic=\"10 USD\" switch-port=\"100 USD\" "
          "ocs-port=\"1000 USD\" panel-port=\"5 USD\" fibre=\"10000 USD\"/></prices>",
      errors);
  REQUIRE(errors == "");
  // 64 NICs; 16 packet NICs on one switch of 64 ports; modules: 16 x 2 and 48; fibres 16 + 48.
  const auto& bill = *model.resource<BillOfMaterials>();
  CHECK(bill.cost().value == 64 * 10 + 64 * 100 + 80 * 1 + 48 * 1000 + 64 * 10'000);
  // A QM9700 of 1,400 W, 80 modules: 32 DR4 of 8.5 W and 48 FR4 of 8 W, 64 NICs of 25 W.
  CHECK(bill.power().value == Approx(1400 + 32 * 8.5 + 48 * 8 + 64 * 25));
  CHECK(bill.pj_per_bit() == Approx((1400 + 32 * 8.5 + 48 * 8 + 64 * 25) * 1e12 / (64 * 400e9)));
  CHECK_THAT(bill_text(model), Catch::Contains("optical switch ports             48"));
}

TEST_CASE("ports that nothing uses are filled where the prices count so") {
  std::string errors;
  const std::string price =
      "<price rate=\"400 Gb/s\" transceiver=\"1 USD\" nic=\"0 USD\" switch-port=\"0 USD\" "
      "ocs-port=\"0 USD\" panel-port=\"0 USD\" fibre=\"1000 USD\"/></prices>";
  Model model =
      built(cluster(8) + mixnet("region-servers=\"8\"", "") + "<prices fill=\"on\">" + price, errors);
  REQUIRE(errors == "");
  // 48 more modules, 24 more fibres.
  CHECK(model.resource<BillOfMaterials>()->cost().value == 128 + 88 * 1000);
}

TEST_CASE("NVSwitches are on the bill where they belong to the network") {
  const auto cost = [](const std::string& attributes) {
    std::string errors;
    Model model =
        built(cluster(8) + mixnet("region-servers=\"8\"", "") + "<prices " + attributes +
                  "><price rate=\"400 Gb/s\" transceiver=\"0 USD\" nic=\"1 USD\" switch-port=\"0 USD\" "
                  "ocs-port=\"0 USD\" panel-port=\"0 USD\" fibre=\"0 USD\"/></prices>",
              errors);
    REQUIRE(errors == "");
    return model.resource<BillOfMaterials>()->cost().value;
  };
  CHECK(cost("nvlink-port=\"1000 USD\"") == 64);
  CHECK(cost("nvlink=\"on\" nvlink-port=\"1000 USD\"") == 64 + 64 * 1000);  // 8 ports of 8 servers
}

TEST_CASE("a rate without a price is refused") {
  std::string errors;
  built(cluster(8) + mixnet("region-servers=\"8\"", "") + "<prices/>", errors);
  CHECK_THAT(errors, Catch::Contains("<prices> has no <price> for links of 400 Gb/s"));
}

TEST_CASE("servers with NICs out of order get fewer circuits, and receive on a packet NIC that works") {
  std::string errors;
  Model model = built(cluster(12) + mixnet("region-servers=\"8\" failed=\"2:0 2:3 r1:7 3:5\"", ""), errors);
  REQUIRE(errors == "");
  const auto& regions = *model.resource<Regions>();
  CHECK(regions.ports(regions.regions[0]) == std::vector<std::uint32_t>{6, 6, 5, 5, 6, 6, 6, 6});
  CHECK(regions.ports(regions.regions[1]) == std::vector<std::uint32_t>{6, 5, 6, 6});
  CHECK_FALSE(regions.regions[1].works(1, 1));  // port 7: the second optical NIC of the second server
  for (const Regions::Circuit& c : regions.regions[0].circuits) {
    CHECK(regions.regions[0].works(c.a, c.nic_a));
    CHECK(regions.regions[0].works(c.b, c.nic_b));
  }
  const auto& book = *model.resource<AddressBook>();
  CHECK(book[EndpointId{2 * 8}].nic == 7);
  CHECK(book[EndpointId{3 * 8}].nic == 3);
}

TEST_CASE("a region whose optical switch is out of order has no circuit") {
  std::string errors;
  Model model = built(cluster(8) + mixnet("region-servers=\"8\" failed=\"r0\"", ""), errors);
  REQUIRE(errors == "");
  CHECK(model.resource<Regions>()->regions[0].circuits.empty());
}

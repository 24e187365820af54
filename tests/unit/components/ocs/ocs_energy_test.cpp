#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>

#include "components/nic/nic.hpp"
#include "components/ocs/ocs.hpp"
#include "links/cable.hpp"
#include "network/port/tables.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"
#include "tests/unit/links/link_xml.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Energy of all links [pJ] for messages of 1 MiB, one each way between two NICs; with an optical switch of
/// `power`, not counted, between them, or without one.
double energy(bool has_ocs, Watts power = Watts{0}) {
  const Scenario scenario = scenario_of("<link catalogue=\"links/ndr_dr4\" length=\"10 m\"/>");
  ErrorList errors;
  const Cable cable = read_cable(*scenario.root.child("link"), errors);
  NetworkBed bed;
  const ComponentId gpus[] = {bed.add_endpoint(0), bed.add_endpoint(1)};
  auto spec = std::make_shared<NicSpec>();
  const ComponentId nics[] = {bed.add(nic_kind(), spec, "nic"), bed.add(nic_kind(), spec, "nic")};
  const auto pcie = bed.link_class(nanoseconds(200), BitRate{500'000'000'000});
  for (int i = 0; i < 2; ++i) bed.connect(gpus[i], 1, nics[i], 1, pcie);
  const auto fibre = bed.link_class(nanoseconds(1), BitRate{1});
  if (has_ocs) {
    auto ocs_spec = std::make_shared<OcsSpec>();
    ocs_spec->power = power;
    REQUIRE(CircuitTable::parse("0-1", 2, ocs_spec->first) == "");
    const ComponentId ocs = bed.add(ocs_kind(), ocs_spec, "ocs");
    bed.link_class_at(fibre) = evaluate(cable, CableEnds::to_ocs, SimTime{0}, {});
    const auto back = bed.link_class(nanoseconds(1), BitRate{1});
    bed.link_class_at(back) = evaluate(cable, CableEnds::from_ocs, SimTime{0}, {});
    const LinkId to[] = {bed.connect(nics[0], 0, ocs, 0, fibre), bed.connect(nics[1], 0, ocs, 1, fibre)};
    for (const LinkId link : to) bed.finish_model().links[link.value ^ 1].link_class = back;
  } else {
    bed.connect(nics[0], 0, nics[1], 0, fibre);
    bed.link_class_at(fibre) = evaluate(cable, CableEnds::both, SimTime{0}, {});
  }
  bed.record(milliseconds(1));
  for (std::uint32_t i = 0; i < 2; ++i)
    bed.script(gpus[i], SimTime{0}, 1,
               work_payload(EndpointId{i}, EndpointId{1 - i}, Connection::make(0, 0, 0), 1 << 20));
  bed.run();
  double sum = -power.value * static_cast<double>(bed.end().count());
  for (const Row& row : bed.rows(tables::power)) sum += std::bit_cast<double>(row.values[1]);
  return sum;
}

}  // namespace

TEST_CASE("through an optical switch a byte costs the energy of the same two modules as without one") {
  // A module's power over its rate, for 2 MiB.
  CHECK(energy(false) > 0);
  CHECK(energy(true) == Approx(energy(false)).epsilon(1e-9));
  CHECK(energy(true, Watts{100}) == Approx(energy(false)).epsilon(1e-6));
}

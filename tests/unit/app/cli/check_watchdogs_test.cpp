#include "app/cli/check_watchdogs.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "components/ethernet-switch/ethernet_switch.hpp"
#include "components/nic/nic.hpp"
#include "tests/support/network_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// nic -- watched switch -- other switch -- nic, with what a test changes.
std::vector<std::string> refusals(const std::function<void(EthernetSwitchSpec&, NicSpec&)>& change) {
  auto watched = std::make_shared<EthernetSwitchSpec>();
  watched->lanes = 2;
  watched->watchdogs = {{.lane = 0, .at = {"cluster.xml", 7, ""}}};
  NicSpec first, last;
  for (NicSpec* nic : {&first, &last}) {
    nic->flow_control = NicFlowControl::pauses;
    nic->repair_of = RepairOf::all;
  }
  change(*watched, last);
  watched->settle();
  first.settle(), last.settle();
  NetworkBed bed;
  const ComponentId near = bed.add(nic_kind(), std::make_shared<NicSpec>(first), "near");
  const ComponentId device = bed.add(ethernet_switch_kind(), watched, "leaf");
  const ComponentId other = bed.add(ethernet_switch_kind(), std::make_shared<EthernetSwitchSpec>(), "spine");
  const ComponentId far = bed.add(nic_kind(), std::make_shared<NicSpec>(last), "far");
  const std::uint16_t cable = bed.link_class(nanoseconds(50), BitRate{400'000'000'000});
  bed.connect(near, 0, device, 0, cable);
  bed.connect(device, 1, other, 0, cable);
  bed.connect(other, 1, far, 0, cable);
  ErrorList errors;
  check_watchdogs(bed.finish_model(), errors);
  std::vector<std::string> all;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& problem) {
    for (const InputError& error : problem.errors()) {
      CHECK((error.file == "cluster.xml" && error.line == 7));
      all.push_back(error.what);
    }
  }
  return all;
}

const std::vector<std::string> refused{
    "<watchdog> of class 0 drops what is in a storm, and far3 takes the class for lossless and repairs "
    "nothing "
    "of it (<nic repair-of=\"all\">)"};

}  // namespace

TEST_CASE("a watchdog may drop what all NICs behind its switch repair") {
  CHECK(refusals([](EthernetSwitchSpec&, NicSpec&) {}).empty());
  CHECK(refusals([](EthernetSwitchSpec&, NicSpec& nic) {
          nic.repair_of = RepairOf::lossy, nic.lossless = "none";
        }).empty());
}

TEST_CASE("a NIC behind another switch that repairs nothing of the class is refused") {
  CHECK(refusals([](EthernetSwitchSpec&, NicSpec& nic) { nic.repair_of = RepairOf::lossy; }) == refused);
  CHECK(refusals([](EthernetSwitchSpec&, NicSpec& nic) {
          nic.repair_of = RepairOf::lossy, nic.lossless = "0,1";
        }) == refused);
}

TEST_CASE("a watchdog that forwards, of a class that the NIC repairs, or a NIC without pauses, may be") {
  CHECK(refusals([](EthernetSwitchSpec& device, NicSpec& nic) {
          device.watchdogs[0].action = StormAction::forward, nic.repair_of = RepairOf::lossy;
        }).empty());
  CHECK(refusals([](EthernetSwitchSpec& device, NicSpec& nic) {
          device.watchdogs[0].lane = 1, nic.repair_of = RepairOf::lossy, nic.lossless = "0";
        }).empty());
  CHECK(refusals([](EthernetSwitchSpec&, NicSpec& nic) {
          nic.flow_control = NicFlowControl::credits, nic.repair_of = RepairOf::lossy;
        }).empty());
}

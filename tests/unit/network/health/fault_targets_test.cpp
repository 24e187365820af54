#include "network/health/fault_targets.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "network/port/device_traits.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/test_model.hpp"

using namespace lightrail;

namespace {

struct MirrorSpec final : Spec, OpticalSwitchTraits {
  [[nodiscard]] std::uint32_t radix() const override { return 2; }
  [[nodiscard]] Decibel path_loss() const override { return {}; }
  [[nodiscard]] Decibel path_loss_spread() const override { return {}; }
  [[nodiscard]] Decibel port_drift_spread() const override { return {}; }
  [[nodiscard]] bool is_bidirectional() const override { return true; }
  [[nodiscard]] bool darkens_all() const override { return false; }
};

/// box0 - nic1 - leaf2 = leaf3 (two cables), leaf3 - mirror4: links 0 to 9.
struct Place {
  Model model;
  Place() {
    test::TestModel made;
    const auto spec = std::make_shared<const Spec>();
    const auto leaf = test::kind_named("leaf", true);
    const ComponentId box = made.add(test::kind_named("box", false), spec),
                      nic = made.add(test::kind_named("nic", true), spec), first = made.add(leaf, spec),
                      second = made.add(leaf, spec),
                      mirror = made.add(test::kind_named("mirror", false), std::make_shared<MirrorSpec>());
    made.connect(box, nic, nanoseconds(100));
    made.connect(nic, first, nanoseconds(100));
    made.connect(first, second, nanoseconds(100));
    made.connect(first, second, nanoseconds(100));
    made.connect(second, mirror, nanoseconds(100));
    model = made.build();
  }
  std::vector<std::string> found(const std::string& what) const {
    const FaultTargets targets(model);
    std::vector<FaultTarget> all;
    std::vector<std::string> names;
    const std::string problem = targets.find(what, all);
    if (!problem.empty()) return {problem};
    for (const FaultTarget& target : all) names.push_back(targets.name_of(target));
    return names;
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a fault names a device, a cable at its port or a port of an optical switch") {
  const Place place;
  CHECK(place.found("nic1") == Names{"nic1"});
  CHECK(place.found("leaf2:1") == Names{"leaf2:1"});
  CHECK(place.found("mirror4") == Names{"mirror4"});
  CHECK(place.found("mirror4:1") == Names{"mirror4:1"});
}

TEST_CASE("stars name all that can fail, each cable once") {
  const Place place;
  CHECK(place.found("*") == Names{"nic1", "leaf2", "leaf3", "mirror4"});
  CHECK(place.found("leaf*") == Names{"leaf2", "leaf3"});
  CHECK(place.found("*af*3") == Names{"leaf3"});
  CHECK(place.found("leaf*:1") == Names{"leaf2:1", "leaf3:1"});
  // Port 0 of leaf2 leads to nic1, 1 and 2 to leaf3, whose ports 0 and 1 are the other ends; its port 2 leads
  // to what has no cable that fails.
  CHECK(place.found("leaf*:*") == Names{"leaf2:0", "leaf2:1", "leaf2:2"});
  CHECK(place.found("mirror4:*") == Names{"mirror4:0", "mirror4:1"});
}

TEST_CASE("what names nothing that can fail is refused") {
  const Place place;
  CHECK(place.found("nic7") == Names{"there is no component 'nic7' (did you mean 'nic1'?)"});
  CHECK(place.found("box0") == Names{"'box0' is a box, for which no fault is modelled"});
  CHECK(place.found("nic1:0") == Names{"no cable that can fail is at port 0 of 'nic1'"});
  CHECK(place.found("nic1:x") == Names{"'nic1' has no port 'x' (ports 0 to 1)"});
  CHECK(place.found("mirror4:2") == Names{"'mirror4' has no port '2' (ports 0 to 1)"});
  CHECK(place.found("nic1:") == Names{"'nic1' has no port '' (ports 0 to 1)"});
  CHECK(place.found("leaf*:x") == Names{"'x' is not a port number"});
  CHECK(place.found("box*") == Names{"'box*' fits nothing that can fail"});
}

TEST_CASE("an outage of a device is one of its cables, of an optical switch's port one of its light") {
  const Place place;
  const FaultTargets targets(place.model);
  FaultEffects effects;
  const Outage outage{microseconds(1), microseconds(3)};
  targets.add({ComponentId{3}, std::nullopt}, outage, effects);
  CHECK(effects.links.size() == 4);  // both directions of both cables to leaf2, none to the mirror
  for (std::uint32_t link = 4; link < 8; ++link) CHECK(effects.links[LinkId{link}] == std::vector{outage});
  CHECK(effects.ports.empty());
  targets.add({ComponentId{4}, 1}, outage, effects);
  targets.add({ComponentId{4}, std::nullopt}, {microseconds(5), time_never}, effects);
  CHECK(effects.links.size() == 4);
  CHECK(effects.ports[ComponentId{4}] ==
        SwitchOutages{{1, {outage}}, {PortChange::all_ports, {{microseconds(5), time_never}}}});
}

TEST_CASE("a GPU that fails stands still, with an NVSwitch its GPUs, with a host its NICs' cables too") {
  test::TestModel made;
  const auto gpu_kind = test::kind_named("gpu", false);
  const auto gpu = std::make_shared<test::RoleSpec<DeviceRole::gpu>>();
  const ComponentId first = made.add(gpu_kind, gpu), second = made.add(gpu_kind, gpu),
                    nvswitch = made.add(test::kind_named("nvswitch", false),
                                        std::make_shared<test::NvswitchTraits>()),
                    host = made.add(test::kind_named("host", false),
                                    std::make_shared<test::RoleSpec<DeviceRole::host>>()),
                    nic = made.add(test::kind_named("nic", true),
                                   std::make_shared<test::RoleSpec<DeviceRole::nic>>()),
                    leaf = made.add(test::kind_named("leaf", true), std::make_shared<const Spec>());
  made.connect(first, nvswitch, nanoseconds(100));
  made.connect(second, nvswitch, nanoseconds(100));
  made.connect(first, host, nanoseconds(100));
  made.connect(nic, host, nanoseconds(100));
  made.connect(nic, leaf, nanoseconds(100));  // links 8 and 9
  const Model model = made.build();
  const FaultTargets targets(model);
  const Outage outage{microseconds(1), microseconds(3)};
  const auto effects_of = [&](ComponentId device) {
    FaultEffects effects;
    targets.add({device, std::nullopt}, outage, effects);
    return effects;
  };
  const auto gpus_of = [&](ComponentId device) {
    std::vector<ComponentId> stopped;
    for (const auto& [id, slowdowns] : effects_of(device).gpus)
      if (slowdowns.size() == 1 && slowdowns[0].span == outage && slowdowns[0].lost == all_speed)
        stopped.push_back(id);
    return stopped;
  };
  CHECK(gpus_of(first) == std::vector{first});
  CHECK(gpus_of(nvswitch) == std::vector{first, second});
  CHECK(gpus_of(host) == std::vector{first});
  CHECK(gpus_of(nic).empty());
  CHECK(effects_of(nvswitch).links.empty());
  const FaultEffects of_host = effects_of(host);
  CHECK(of_host.links.size() == 2);
  CHECK(of_host.links.at(LinkId{8}) == std::vector{outage});
  std::vector<FaultTarget> found;
  CHECK(targets.find("gpu*", found).empty());
  CHECK(found.size() == 2);
  CHECK(targets.find("gpu0:0", found) == "no cable that can fail is at port 0 of 'gpu0'");
}

TEST_CASE("a storage server that fails is away with the cables of all its NICs, and of no other") {
  test::TestModel made;
  const auto nic_kind = test::kind_named("nic", true);
  const auto nic = std::make_shared<test::RoleSpec<DeviceRole::nic>>();
  const ComponentId storage = made.add(test::kind_named("storage-server", false),
                                       std::make_shared<test::RoleSpec<DeviceRole::storage>>()),
                    first = made.add(nic_kind, nic), second = made.add(nic_kind, nic),
                    other = made.add(nic_kind, nic),
                    leaf = made.add(test::kind_named("leaf", true), std::make_shared<const Spec>());
  made.connect(storage, first, nanoseconds(100));
  made.connect(storage, second, nanoseconds(100));
  for (const ComponentId one : {first, second, other}) made.connect(one, leaf, nanoseconds(100));
  const Model model = made.build();
  const FaultTargets targets(model);
  std::vector<FaultTarget> found;
  CHECK(targets.find("storage*", found).empty());
  REQUIRE(found.size() == 1);
  CHECK(targets.name_of(found[0]) == "storage-server0");
  FaultEffects effects;
  const Outage outage{microseconds(1), microseconds(3)};
  targets.add(found[0], outage, effects);
  CHECK(effects.gpus.empty());
  CHECK(effects.links.size() == 4);  // both directions of links 4 and 6
  for (const std::uint32_t link : {4u, 5u, 6u, 7u})
    CHECK(effects.links.at(LinkId{link}) == std::vector{outage});
  CHECK(targets.find("storage-server0:0", found) ==
        "no cable that can fail is at port 0 of 'storage-server0'");
}

namespace {

/// An NVSwitch whose chips have links of their own.
struct ChipsSpec final : Spec, DeviceTraits {
  [[nodiscard]] DeviceRole role() const override { return DeviceRole::nvswitch; }
  [[nodiscard]] std::vector<std::uint32_t> plane_shares() const override { return {1, 1}; }
};

}  // namespace

TEST_CASE("a chip of an NVSwitch fails with its links to all GPUs, and each link by itself") {
  test::TestModel made;
  const auto gpu_kind = test::kind_named("gpu", false);
  const auto gpu = std::make_shared<test::RoleSpec<DeviceRole::gpu>>();
  const ComponentId first = made.add(gpu_kind, gpu), second = made.add(gpu_kind, gpu),
                    nvswitch = made.add(test::kind_named("nvswitch", false), std::make_shared<ChipsSpec>()),
                    plain = made.add(test::kind_named("nvswitch", false),
                                     std::make_shared<test::NvswitchTraits>());
  for (int chip = 0; chip < 2; ++chip)
    for (const ComponentId one : {first, second}) made.connect(one, nvswitch, nanoseconds(100));
  made.connect(first, plain, nanoseconds(100));
  const Model model = made.build();
  const FaultTargets targets(model);
  const Outage outage{microseconds(1), microseconds(3)};
  const auto links_of = [&](const std::string& what) {
    std::vector<FaultTarget> found;
    REQUIRE(targets.find(what, found).empty());
    FaultEffects effects;
    for (const FaultTarget& target : found) targets.add(target, outage, effects);
    CHECK(effects.gpus.empty());
    std::vector<std::uint32_t> links;
    for (const auto& [link, outages] : effects.links) links.push_back(link.value);
    return links;
  };
  using Links = std::vector<std::uint32_t>;
  CHECK(links_of("nvswitch2/0") == Links{0, 1, 2, 3});
  CHECK(links_of("nvswitch2/1") == Links{4, 5, 6, 7});
  CHECK(links_of("nvswitch*/*") == Links{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(links_of("nvswitch2:3") == Links{6, 7});
  CHECK(links_of("gpu0:1") == Links{4, 5});
  std::vector<FaultTarget> found;
  CHECK(targets.find("nvswitch*/1", found).empty());
  REQUIRE(found.size() == 1);
  CHECK(targets.name_of(found[0]) == "nvswitch2/1");
  CHECK(targets.find("nvswitch2/2", found) == "'nvswitch2' has no chip '2' (chips 0 to 1)");
  CHECK(targets.find("nvswitch2/x", found) == "'x' is not the number of a chip");
  CHECK(targets.find("nvswitch7/0", found) ==
        "there is no component 'nvswitch7' (did you mean 'nvswitch2'?)");
  CHECK(targets.find("nvswitch3/0", found) ==
        "'nvswitch3' has no chips with links of their own (expected an nvswitch of plane-hash=\"flow\")");
  CHECK(targets.find("gpu0:2", found) == "no cable that can fail is at port 2 of 'gpu0'");
}

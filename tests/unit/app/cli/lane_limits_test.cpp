#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "app/cli/lane_limits.hpp"
#include "components/nic/nic.hpp"
#include "components/switch/switch.hpp"
#include "network/routing/dragonfly.hpp"

using namespace lightrail;

namespace {

std::shared_ptr<SwitchSpec> switch_of(std::uint32_t lanes) {
  auto spec = std::make_shared<SwitchSpec>();
  spec->lanes = lanes;
  return spec;
}

}  // namespace

TEST_CASE("messages may choose among the lanes that every NIC and switch has") {
  Model model;
  auto nic = std::make_shared<NicSpec>();
  nic->lanes = 4;
  model.specs = {switch_of(8), nic};
  const LaneLimit limit = lane_limit(model);
  CHECK(limit.lanes == 4);
  CHECK(limit.per_class == max_lanes);
  CHECK(limit.of == "a NIC of the fabric");
}

TEST_CASE("a routing that takes two lanes for each leaves half of them") {
  auto spec = switch_of(8);
  spec->routing = dragonfly_adaptive_routing();
  const LaneLimit limit = lane_limit(*spec);
  CHECK(limit.lanes == 4);
  CHECK(limit.per_class == 4);
  CHECK(limit.of == "a switch of the fabric, whose routing takes 2 for each to be free of deadlock,");
}

TEST_CASE("without NICs and switches there is no limit") {
  CHECK(lane_limit(Model{}).lanes == max_lanes);
  CHECK(lane_limit(Model{}).of.empty());
}

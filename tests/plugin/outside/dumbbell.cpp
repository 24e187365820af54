#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "app/registry/registry.hpp"
#include "engine/model/describe.hpp"
#include "fabrics/fabric_kind.hpp"

namespace {

using namespace lightrail;

struct DumbbellSpec {
  std::uint32_t trunks = 1;
};

/// Half of the servers on one switch, the others on a second one, `trunks` links between the two. A route is
/// arithmetic: the switch's own NICs are one interval of addresses (lids), everything else is over a trunk.
void build(FabricBuild& fabric, const DumbbellSpec& spec) {
  const std::optional<Part> part = read_switch(fabric);
  const auto host = fabric.links.cable("host", Need::required);
  const auto trunk = fabric.links.cable("trunk", Need::required);
  if (fabric.has_errors() || !fabric.require_nics()) return;
  const auto all = static_cast<std::uint32_t>(fabric.nics.size());
  const std::uint32_t servers = fabric.nics.back().server + 1;
  const auto left = static_cast<std::uint32_t>(std::count_if(
      fabric.nics.begin(), fabric.nics.end(), [&](const NicPlace& nic) { return nic.server < servers / 2; }));
  if (servers < 2) return fabric.fail("<fabric> kind 'dumbbell' needs two servers");
  if (std::max(left, all - left) + spec.trunks > part->radix)
    return fabric.fail("<fabric> kind 'dumbbell' does not fit: a switch has too few ports");

  const std::uint32_t first = fabric.counter.next_lid;
  fabric.counter.next_lid += all;
  const auto add_side = [&](std::uint32_t number, std::uint32_t from, std::uint32_t to) {
    SwitchRoute route;
    route.down = {{first + from, first + to, 1, 0, 1}};
    route.first_up = static_cast<PortIndex>(to - from);
    route.up_count = static_cast<std::uint16_t>(spec.trunks);
    const ComponentId side = fabric.add_switch(*part, "side", number, fabric.add_route(route));
    for (std::uint32_t i = from; i < to; ++i)
      fabric.attach(fabric.nics[i].nic, first + i, side, i - from, *host);
    return side;
  };
  const ComponentId west = add_side(0, 0, left), east = add_side(1, left, all);
  for (std::uint32_t t = 0; t < spec.trunks; ++t)
    fabric.builder.connect(west, left + t, east, all - left + t, *trunk);
}

}  // namespace

extern "C" void lightrail_plugin_register(lightrail::Registry& registry) {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "dumbbell";
  kind->doc = "Two switches, each with half of the servers, joined by a few links.";
  kind->link_roles = {"host", "trunk"};
  Describe<DumbbellSpec> table;
  table.field("trunks", &DumbbellSpec::trunks, "links between the two switches", 1u, 64u);
  bind_fabric(*kind, table, build);
  registry.fabrics.add(kind);
}

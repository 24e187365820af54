#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fabrics/clos/clos_fabric.hpp"
#include "fabrics/clos/clos_kinds.hpp"
#include "fabrics/clos/plan_leaves.hpp"

namespace lightrail {

namespace {

struct RailOptimisedSpec : ClosSpec {
  std::uint32_t rails = 0;            ///< of a server; 0: as many as its NICs
  std::uint32_t servers_per_pod = 0;  ///< servers that share one leaf a rail
  std::uint32_t pods_per_group = 0;   ///< three tiers
};

Describe<RailOptimisedSpec> table() {
  using S = RailOptimisedSpec;
  return with_dual_tor(clos_table<S>(2))
      .field(
          "rails", &S::rails,
          "rails of a server, whose NIC i is on rail i modulo this: 4 for racks of trays of 4 GPUs (default: "
          "a rail for each NIC)",
          1u, max_switches)
      .field("servers-per-pod", &S::servers_per_pod, "servers on one leaf (default: as many as fit)", 1u,
             max_switches)
      .field("pods-per-group", &S::pods_per_group, "three tiers: pods that share their spines", 1u,
             max_switches);
}

/// NIC i of a server on rail i modulo `rails`.
std::vector<NicPlace> on_rails(std::vector<NicPlace> nics, std::uint32_t rails) {
  for (NicPlace& place : nics)
    if (rails > 0 && !place.is_storage) place.rail = static_cast<std::uint16_t>(place.rail % rails);
  return nics;
}

void build(FabricBuild& fabric, const RailOptimisedSpec& spec) {
  const std::optional<ClosParts> parts = read_clos_parts(fabric);
  refuse_useless(fabric, spec.tiers, {"servers-per-pod"}, {"pods-per-group"});
  if (fabric.has_errors() || !fabric.require_nics()) return;
  const std::vector<NicPlace> nics = on_rails(fabric.nics, spec.rails);
  const std::uint32_t rails = std::max(rail_count(nics), 1u);
  const std::uint32_t on_one = (rail_count(fabric.nics) + rails - 1) / rails;  // NICs of a server on a rail
  LeafFill servers = leaf_fill(fabric, spec, parts->part, spec.servers_per_pod);
  if (spec.servers_per_pod == 0) servers.most /= std::max(on_one, 1u);
  if (servers.most == 0)
    return fabric.fail(
        fmt::format("rails=\"{}\": a leaf of {} ports down cannot take the {} NICs of a server", spec.rails,
                    leaf_fill(fabric, spec, parts->part, 0).most, on_one));
  const LeafFill fill{servers.most * std::max(on_one, 1u), servers.is_even};
  std::uint32_t per_group = 0;
  if (spec.tiers == 3)  // half of a spine's ports go down
    per_group =
        rails * (spec.pods_per_group ? spec.pods_per_group : parts->part.radix / 2 / rails / twins_of(spec));
  if (refuse_empty_group(fabric, spec, parts->part, per_group, rails)) return;
  build_clos_networks(fabric, spec, *parts, fill, per_group, {plan_pods(nics, servers, per_group)});
}

}  // namespace

std::shared_ptr<const FabricKind> rail_optimised_kind() {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "rail-optimised";
  kind->doc =
      "NIC i of every server of a pod on leaf i of the pod (`rails`: i modulo these); spines, or spines and "
      "cores, join the leaves.";
  kind->link_roles = clos_link_roles;
  kind->takes_dual_tor = true;
  bind_fabric(*kind, table(), build);
  document_chosen(*kind);
  return kind;
}

}  // namespace lightrail

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "fabrics/clos/clos_fabric.hpp"
#include "fabrics/clos/clos_kinds.hpp"
#include "fabrics/clos/plan_leaves.hpp"

namespace lightrail {

namespace {

struct RailOptimisedSpec : ClosSpec {
  std::uint32_t servers_per_pod = 0;  ///< servers that share one leaf a rail
  std::uint32_t pods_per_group = 0;   ///< three tiers
};

Describe<RailOptimisedSpec> table() {
  using S = RailOptimisedSpec;
  return clos_table<S>(2)
      .field("servers-per-pod", &S::servers_per_pod, "servers on one leaf (default: as many as fit)", 1u,
             max_switches)
      .field("pods-per-group", &S::pods_per_group, "three tiers: pods that share their spines", 1u,
             max_switches);
}

void build(FabricBuild& fabric, const RailOptimisedSpec& spec) {
  const std::optional<ClosParts> parts = read_clos_parts(fabric);
  refuse_useless(fabric, spec.tiers, {"servers-per-pod"}, {"pods-per-group"});
  if (fabric.has_errors() || !fabric.require_nics()) return;
  const std::uint32_t rails = std::max(rail_count(fabric.nics), 1u);
  const LeafFill fill = leaf_fill(spec, parts->part, spec.servers_per_pod);
  std::uint32_t per_group = 0;
  if (spec.tiers == 3)  // half of a spine's ports go down
    per_group = rails * (spec.pods_per_group ? spec.pods_per_group : parts->part.radix / 2 / rails);
  if (refuse_empty_group(fabric, spec, parts->part, per_group, rails)) return;
  build_clos_networks(fabric, spec, *parts, fill, per_group, {plan_pods(fabric.nics, fill, per_group)});
}

}  // namespace

std::shared_ptr<const FabricKind> rail_optimised_kind() {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "rail-optimised";
  kind->doc =
      "NIC i of every server of a pod on leaf i of the pod; spines, or spines and cores, join the leaves.";
  kind->link_roles = clos_link_roles;
  bind_fabric(*kind, table(), build);
  document_chosen(*kind);
  return kind;
}

}  // namespace lightrail

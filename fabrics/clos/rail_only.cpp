#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "fabrics/clos/clos_fabric.hpp"
#include "fabrics/clos/clos_kinds.hpp"
#include "fabrics/clos/plan_leaves.hpp"

namespace lightrail {

namespace {

struct RailOnlySpec : ClosSpec {
  RailOnlySpec() { tiers = 1; }
  std::uint32_t servers_per_pod = 0;   ///< servers on one leaf of their rail
  std::uint32_t leaves_per_group = 0;  ///< three tiers
};

Describe<RailOnlySpec> table() {
  using S = RailOnlySpec;
  return with_dual_tor(clos_table<S>(1))
      .field("servers-per-pod", &S::servers_per_pod, "servers on one leaf (default: as many as fit)", 1u,
             max_switches)
      .field("leaves-per-group", &S::leaves_per_group, "three tiers: leaves that share their spines", 1u,
             max_switches);
}

void build(FabricBuild& fabric, const RailOnlySpec& spec) {
  const std::optional<ClosParts> parts = read_clos_parts(fabric);
  refuse_useless(fabric, spec.tiers, {"servers-per-pod"}, {"leaves-per-group"});
  if (fabric.has_errors() || !fabric.require_nics()) return;
  if (fabric.nics.back().is_storage)
    return fabric.fail("<fabric kind=\"rail-only\"> cannot attach storage: nothing joins the rails");
  const auto all = static_cast<std::uint32_t>(fabric.nics.size());
  const LeafFill fill = leaf_fill(fabric, spec, parts->part, spec.tiers == 1 ? all : spec.servers_per_pod);
  std::uint32_t per_group = 0;
  if (spec.tiers == 3)  // half of a spine's ports go down
    per_group = leaves_per_group(fabric, spec, spec.leaves_per_group, parts->part.radix);
  if (refuse_empty_group(fabric, spec, parts->part, per_group, std::max(rail_count(fabric.nics), 1u))) return;
  build_clos_networks(fabric, spec, *parts, fill, per_group, plan_each_rail(fabric.nics, fill, per_group));
}

}  // namespace

std::shared_ptr<const FabricKind> rail_only_kind() {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "rail-only";
  kind->doc = "A switch, or a network of two or three tiers, for each rail; nothing joins the rails.";
  kind->link_roles = clos_link_roles;
  kind->takes_dual_tor = true;
  bind_fabric(*kind, table(), build);
  document_chosen(*kind);
  return kind;
}

}  // namespace lightrail

#include "fabrics/clos/fat_tree.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "fabrics/clos/clos_kinds.hpp"
#include "fabrics/clos/plan_leaves.hpp"

namespace lightrail {

namespace {

void build(FabricBuild& fabric, const FatTreeSpec& spec) {
  const std::optional<ClosParts> parts = read_fat_tree(fabric, spec);
  if (fabric.has_errors() || !fabric.require_nics()) return;
  build_fat_tree(fabric, spec, *parts, fabric.nics);
}

}  // namespace

std::optional<ClosParts> read_fat_tree(const FabricBuild& fabric, const FatTreeSpec& spec) {
  const std::optional<ClosParts> parts = read_clos_parts(fabric);
  refuse_useless(fabric, spec.tiers, {"nics-per-leaf"}, {"leaves-per-group"});
  return parts;
}

void build_fat_tree(FabricBuild& fabric, const FatTreeSpec& spec, const ClosParts& parts,
                    const std::vector<NicPlace>& nics) {
  const LeafFill fill = leaf_fill(fabric, spec, parts.part, spec.nics_per_leaf);
  std::uint32_t per_group = 0;
  if (spec.tiers == 3)  // half of a spine's ports go down
    per_group = leaves_per_group(fabric, spec, spec.leaves_per_group, parts.part.radix);
  if (refuse_empty_group(fabric, spec, parts.part, per_group, std::max(rail_count(nics), 1u))) return;
  build_clos_networks(fabric, spec, parts, fill, per_group, {plan_in_order(nics, fill, per_group)});
}

std::shared_ptr<const FabricKind> fat_tree_kind() {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "fat-tree";
  kind->doc = "Leaves filled NIC by NIC, server after server; spines, or spines and cores, join them.";
  kind->link_roles = clos_link_roles;
  kind->takes_dual_tor = true;
  bind_fabric(*kind, with_dual_tor(fat_tree_table<FatTreeSpec>()), build);
  document_chosen(*kind);
  return kind;
}

}  // namespace lightrail

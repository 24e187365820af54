#include <cstdint>
#include <memory>
#include <optional>

#include "fabrics/clos/clos_fabric.hpp"
#include "fabrics/clos/clos_kinds.hpp"
#include "fabrics/clos/plan_leaves.hpp"

namespace lightrail {

namespace {

struct SingleSwitchSpec : ClosSpec {};

void build(FabricBuild& fabric, const SingleSwitchSpec& spec) {
  const std::optional<ClosParts> parts = read_clos_parts(fabric);
  if (fabric.has_errors() || !fabric.require_nics()) return;
  ClosSpec one_tier = spec;
  one_tier.tiers = 1;
  const auto all = static_cast<std::uint32_t>(fabric.nics.size());
  const LeafFill fill{all, false};
  build_clos_networks(fabric, one_tier, *parts, fill, 0, {plan_in_order(fabric.nics, fill, 0)});
}

}  // namespace

std::shared_ptr<const FabricKind> single_switch_kind() {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "single-switch";
  kind->doc = "All NICs on one switch.";
  kind->link_roles = clos_link_roles;
  kind->takes_dual_tor = true;
  bind_fabric(*kind, with_dual_tor(Describe<SingleSwitchSpec>()), build);
  return kind;
}

}  // namespace lightrail

#include <memory>

#include "fabrics/circuits/mixnet.hpp"
#include "fabrics/clos/clos_kinds.hpp"
#include "fabrics/dragonfly_plus/dragonfly_plus.hpp"
#include "fabrics/fabric_registry.hpp"
#include "fabrics/patch_panel/topoopt.hpp"
#include "fabrics/photonic_rails/photonic_rails.hpp"

namespace lightrail {

namespace {

/// Servers stand alone, or a <graph> joins them.
std::shared_ptr<const FabricKind> no_fabric_kind() {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "none";
  kind->doc = "No network between servers.";
  kind->joins_servers = kind->takes_storage = false;
  return kind;
}

}  // namespace

FabricRegistry built_in_fabrics() {
  FabricRegistry fabrics;
  for (const auto& kind : {
           no_fabric_kind(),
           single_switch_kind(),
           rail_optimised_kind(),
           rail_only_kind(),
           fat_tree_kind(),
           dragonfly_plus_kind(),
           mixnet_kind(),
           topoopt_kind(),
           photonic_rails_kind(),
       })
    fabrics.add(kind);
  return fabrics;
}

}  // namespace lightrail

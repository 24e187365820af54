#include "app/cli/remark_fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "app/cli/run_detail.hpp"
#include "engine/model/fold_factor.hpp"
#include "fabrics/clos/part_of_layout.hpp"
#include "fabrics/system/whole_fabric.hpp"
#include "network/routing/packet_switch_traits.hpp"
#include "network/wire/nic_role.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {
namespace {

void remark(std::string text, ModelPart& part) {
  part.remarks.push_back({"fold", std::move(text)});
}

/// The routing that fixes flows' ways; "": none does.
std::string fixed_routing(const Model& model) {
  for (const auto& spec : model.specs)
    if (const auto* traits = dynamic_cast<const PacketSwitchTraits*>(spec.get());
        traits && traits->routing_kind().fixes_ways)
      return traits->routing_kind().name;
  return "";
}

// The errors: docs/scaling.md, "Where a part is not the whole's share".

void remark_layout(const FabricLayout& here, const FabricLayout& there, ModelPart& part) {
  const LayoutDifference is = difference_of(here, there);
  const std::string fabric = here.role == NicRole::compute
                                 ? "fabric " + here.kind
                                 : fmt::format("fabric {} for {}", here.kind, name_of(here.role));
  if (!is.tiers.empty())
    remark(fmt::format("{}: the part has {}: nothing waits in those it lacks; with adaptive routing and "
                       "without oversubscription a step was 0.2 % off (docs/scaling.md)",
                       fabric, is.tiers),
           part);
  if (!is.leaves.empty() && is.is_oversubscribed)
    remark(fmt::format("{}: the part has {}: where leaves are oversubscribed other shares of the traffic "
                       "leave them then, and steps were 2 to 6 % off, 0.2 % with leaves of the same sizes "
                       "(docs/scaling.md)",
                       fabric, is.leaves),
           part);
}

void remark_routes(const Model& model, const WholeFabric& whole, ModelPart& part) {
  const std::string routing = fixed_routing(model);
  const bool has_ways = whole.layouts.empty() ||
                        std::any_of(whole.layouts.begin(), whole.layouts.end(),
                                    [](const FabricLayout& layout) { return built_tiers(layout) > 1; });
  if (routing.empty() || !has_ways) return;
  remark(
      fmt::format("routing \"{}\" fixes the ways of flows: how many of the whole's meet on a port the part "
                  "does not show; steps folded by 4 were 12.8 % too short to 6.6 % too long "
                  "(docs/scaling.md)",
                  routing),
      part);
}

}  // namespace

ModelPart remark_fold(const Model& model) {
  ModelPart part;
  const auto* fold = model.resource<FoldFactor>();
  const auto* whole = model.resource<WholeFabric>();
  if (!fold || !whole) return part;
  const auto* run = model.resource<RunDetail>();
  const auto* layouts = model.resource<FabricLayouts>();
  if (!whole->problem.empty())
    remark(fmt::format("the whole cluster's network is not built{}: {}",
                       model.resource<NetworkCost>()
                           ? fmt::format(", its cost is {} times the part's", fold->times)
                           : std::string(),
                       whole->problem),
           part);
  if (!run || has_trains(run->detail)) {
    if (layouts)
      for (std::size_t i = 0; i < std::min(layouts->all.size(), whole->layouts.size()); ++i)
        remark_layout(layouts->all[i], whole->layouts[i], part);
    remark_routes(model, *whole, part);
  }
  const auto* set = model.resource<ProgramSet>();
  if (set && set->splits.size() > 1)
    remark(
        "experts' loads are uneven, and the same in every replica, here as in a run of all: the part is one "
        "sample of them, and that those of replicas differ is in no estimate",
        part);
  return part;
}

}  // namespace lightrail

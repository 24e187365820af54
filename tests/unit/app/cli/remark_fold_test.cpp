#include "app/cli/remark_fold.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/print_summary.hpp"
#include "app/cli/run_detail.hpp"
#include "components/switch/switch.hpp"
#include "engine/model/fold_factor.hpp"
#include "fabrics/system/whole_fabric.hpp"
#include "network/routing/up_down_routings.hpp"
#include "workloads/program/program.hpp"

using namespace lightrail;

namespace {

FabricLayout fat_tree(std::vector<std::uint32_t> nics, std::uint32_t up) {
  FabricLayout layout;
  layout.kind = "fat-tree";
  layout.tiers = 2;
  layout.networks.resize(1);
  layout.networks[0].nics = std::move(nics);
  layout.networks[0].shape.up = up;
  layout.networks[0].shape.spines = up > 0 ? 1 : 0;
  return layout;
}

struct Case {
  FabricLayout part, whole;
  std::shared_ptr<const RoutingKind> routing = adaptive_routing();
  Detail detail = Detail::trains;
  std::string problem = {};
  bool is_uneven = false;
};

std::string remarks_of(const Case& of, bool is_folded = true) {
  Model model;
  auto spec = std::make_shared<SwitchSpec>();
  spec->routing = of.routing;
  model.specs.push_back(spec);
  FoldFactor fold;
  fold.times = 4;
  if (is_folded) model.add(std::make_shared<const FoldFactor>(fold));
  model.add(std::make_shared<const FabricLayouts>(FabricLayouts{{of.part}}));
  WholeFabric whole;
  if (of.problem.empty()) whole.layouts = {of.whole};
  whole.problem = of.problem;
  model.add(std::make_shared<const WholeFabric>(std::move(whole)));
  model.add(std::make_shared<const RunDetail>(RunDetail{of.detail, {}}));
  ProgramSet set;
  set.splits.resize(of.is_uneven ? 2 : 1);
  model.add(std::make_shared<const ProgramSet>(std::move(set)));
  return remarks_text(remark_fold(model).remarks);
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a part that is the whole's share of a fabric is not remarked on") {
  const Case alike{fat_tree({32, 32}, 16), fat_tree({32, 32, 32, 32}, 16)};
  CHECK(remarks_of(alike).empty());
  CHECK(remarks_of({fat_tree({32}, 0), fat_tree({48, 48}, 16), ecmp_routing()}, false).empty());
}

TEST_CASE("leaves of other sizes are said where they are oversubscribed") {
  const std::string said = remarks_of({fat_tree({32, 32}, 16), fat_tree({40, 40, 39}, 20)});
  CHECK(has(said,
            "fabric fat-tree: the part has 2 leaves of 32 NICs and 16 uplinks, the whole 2 of 40 and 20"));
  CHECK(has(said, "docs/scaling.md"));
  CHECK(remarks_of({fat_tree({32, 32}, 32), fat_tree({32, 24, 24, 24}, 32)}).empty());
}

TEST_CASE("tiers that the part lacks and routes that are fixed are said") {
  Case one_leaf{fat_tree({32}, 0), fat_tree({32, 32}, 32)};
  CHECK(has(remarks_of(one_leaf), "the part has 1 tier of the whole's 2"));
  CHECK_FALSE(has(remarks_of(one_leaf), "fixes the ways"));
  for (const auto& routing : {ecmp_routing(), static_routing()}) {
    one_leaf.routing = routing;
    CHECK(has(remarks_of(one_leaf), "routing \"" + routing->name + "\" fixes the ways of flows"));
  }
  one_leaf.detail = Detail::messages;  // which has no switches
  CHECK(remarks_of(one_leaf).empty());
}

TEST_CASE("a whole that cannot be built and loads that all replicas share are said") {
  Case of{fat_tree({32}, 0), {}};
  of.problem = "<fabric> does not fit";
  CHECK(has(remarks_of(of), "the whole cluster's network is not built: <fabric> does not fit"));
  of = {fat_tree({32, 32}, 32), fat_tree({32, 32, 32}, 32)};
  of.is_uneven = true;
  CHECK(has(remarks_of(of), "experts' loads are uneven, and the same in every replica"));
}

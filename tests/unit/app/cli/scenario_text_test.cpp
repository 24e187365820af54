#include "app/cli/scenario_text.hpp"

#include <catch2/catch.hpp>

#include <memory>

#include "fabrics/clos/fabric_layout.hpp"

using namespace lightrail;

TEST_CASE("the layouts of several fabrics follow one another, storage's by its name") {
  Model model;
  FabricLayout layout{"fat-tree", 2, 1, {"a.xml", 7, ""}, {}};
  layout.networks.push_back({{6}, {1}, 0, {}});
  FabricLayout storage = layout;
  storage.role = NicRole::storage;
  model.add(std::make_shared<const FabricLayouts>(FabricLayouts{{layout, storage}}));
  CHECK(scenario_text("a.xml", model) ==
        "a.xml: valid, 0 components, 0 links\n"
        "fabric fat-tree: 6 NICs, 1 of 2 tiers\n"
        "  1 switch of 6 NICs\n"
        "  one leaf has all NICs: no spines\n"
        "fabric fat-tree for storage: 6 NICs, 1 of 2 tiers\n"
        "  1 switch of 6 NICs\n"
        "  one leaf has all NICs: no spines\n");
}

TEST_CASE("a scenario is described by its size, its layout and warnings") {
  Model model;
  model.links.resize(4);
  CHECK(scenario_text("a.xml", model) == "a.xml: valid, 0 components, 2 links\n");

  FabricLayout layout{"fat-tree", 2, 3, {"a.xml", 7, ""}, {}};
  layout.is_asked = true;
  FabricLayout::Network network;
  network.nics = {6};
  network.leaves_by_group = {1};
  layout.networks.push_back(network);
  model.add(std::make_shared<const FabricLayouts>(FabricLayouts{{layout}}));
  CHECK(scenario_text("a.xml", model) ==
        "a.xml: valid, 0 components, 2 links\n"
        "fabric fat-tree: 6 NICs, 1 of 2 tiers, oversubscription 3\n"
        "  1 switch of 6 NICs\n"
        "  one leaf has all NICs: no spines\n"
        "warning: a.xml:7: <fabric> attribute 'oversubscription': 3 was asked for, but all 6 NICs are on one "
        "leaf, where nothing is oversubscribed\n");
}

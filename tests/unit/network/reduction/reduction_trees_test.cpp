#include "network/reduction/reduction_trees.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "components/switch/switch.hpp"
#include "tests/support/network_bed.hpp"

namespace lightrail::test {
namespace {

constexpr PortIndex first_trunk = 8;  ///< of a leaf; members' NICs are below

SwitchSpec reducing(double efficiency = 1, std::int64_t room = 0, std::uint32_t radix = 0) {
  SwitchSpec spec;
  spec.sharp_efficiency = efficiency;
  spec.sharp_buffer = Bytes{room};
  spec.sharp_radix = radix;
  return spec;
}

/// Leaves with members behind probes, each joined to every spine. Leaf l's trunk to spine s is port
/// first_trunk + s, spine s's to leaf l is port l.
struct TwoTiers {
  NetworkBed bed;
  std::vector<ComponentId> leaves, spines;
  std::vector<LinkId> trunks;  ///< by leaf and spine: up
  std::vector<ReductionTrees::Leaf> members;

  TwoTiers(std::uint32_t leaf_count, std::uint32_t spine_count, std::uint32_t on_leaf,
           const SwitchSpec& leaf = reducing(), const SwitchSpec& spine = reducing()) {
    const auto line = bed.link_class(nanoseconds(100), BitRate{400'000'000'000});
    for (std::uint32_t s = 0; s < spine_count; ++s)
      spines.push_back(bed.add(switch_kind(), std::make_shared<SwitchSpec>(spine), "spine"));
    for (std::uint32_t l = 0; l < leaf_count; ++l) {
      leaves.push_back(bed.add(switch_kind(), std::make_shared<SwitchSpec>(leaf), "leaf"));
      for (std::uint32_t m = 0; m < on_leaf; ++m) {
        const EndpointId head{static_cast<std::uint32_t>(members.size())};
        members.push_back(
            {head, bed.connect(bed.add_endpoint(), 0, leaves.back(), static_cast<PortIndex>(m), line)});
      }
      for (std::uint32_t s = 0; s < spine_count; ++s)
        trunks.push_back(bed.connect(leaves.back(), static_cast<PortIndex>(first_trunk + s), spines[s],
                                     static_cast<PortIndex>(l), line));
    }
  }
  std::string name_of(ComponentId id) { return bed.finish_model().component_name(id); }
  std::variant<ReductionTree, std::string> tree(std::uint32_t turn = 0) {
    return ReductionTrees(bed.finish_model()).tree(members, turn);
  }
};

}  // namespace

TEST_CASE("members of one switch have it as root, and no other switch") {
  TwoTiers net(1, 2, 3);
  const auto tree = std::get<ReductionTree>(net.tree(1));
  REQUIRE(tree.nodes.size() == 1);
  CHECK(tree.nodes[0].at == net.leaves[0]);
  CHECK(tree.nodes[0].up == self_port);
  CHECK(tree.nodes[0].branches == std::vector<PortIndex>{0, 1, 2});
  CHECK(tree.nodes[0].heads == std::vector<EndpointId>{EndpointId{0}, EndpointId{1}, EndpointId{2}});
}

TEST_CASE("a leaf goes up to a spine, and turns take another spine each") {
  TwoTiers net(3, 2, 2);
  for (const std::uint32_t turn : {0u, 1u, 2u}) {
    const auto tree = std::get<ReductionTree>(net.tree(turn));
    REQUIRE(tree.nodes.size() == 4);
    const auto* root = tree.node_at(net.spines[turn % 2]);
    REQUIRE(root);
    CHECK(root->up == self_port);
    CHECK(root->branches == std::vector<PortIndex>{0, 1, 2});
    CHECK(root->heads == std::vector<EndpointId>(3, ReductionTree::no_head));
    CHECK_FALSE(tree.node_at(net.spines[(turn + 1) % 2]));
    for (const ComponentId leaf : net.leaves) {
      REQUIRE(tree.node_at(leaf));
      CHECK(tree.node_at(leaf)->up == first_trunk + turn % 2);
      CHECK(tree.node_at(leaf)->branches == std::vector<PortIndex>{0, 1});
    }
  }
}

TEST_CASE("a tree has the least efficiency and room of its switches") {
  TwoTiers net(2, 1, 1, reducing(0.9, 0), reducing(0.8, 4096));
  const auto tree = std::get<ReductionTree>(net.tree());
  CHECK(tree.efficiency == 0.8);
  CHECK(tree.room.value == 4096);
}

TEST_CASE("spines that make no sums, and cables that fail, are no way up") {
  TwoTiers plain(2, 1, 1, reducing(), SwitchSpec{});
  CHECK(std::get<std::string>(plain.tree()) ==
        "switches that reduce (sharp-efficiency) and cables that never fail between " +
            plain.name_of(plain.leaves[0]) + " and " + plain.name_of(plain.leaves[1]));
  TwoTiers net(2, 2, 1);
  HealthTable::Outages outages;
  outages[net.trunks[0]] = {{microseconds(1), microseconds(2)}};
  net.bed.set_health(HealthTable({}, std::move(outages)));
  const auto tree = std::get<ReductionTree>(net.tree());
  CHECK_FALSE(tree.node_at(net.spines[0]));
  CHECK(tree.node_at(net.spines[1]));
}

TEST_CASE("a member behind a switch that makes no sums has no tree") {
  TwoTiers net(2, 1, 1, SwitchSpec{}, reducing());
  CHECK(std::get<std::string>(net.tree()) ==
        "switches that reduce (sharp-efficiency): " + net.name_of(net.leaves[0]) + " does not");
}

TEST_CASE("a radix bounds the branches of each switch") {
  TwoTiers few(4, 1, 2, reducing(1, 0, 2), reducing(1, 0, 4));
  CHECK(std::holds_alternative<ReductionTree>(few.tree()));
  TwoTiers many(4, 1, 2, reducing(1, 0, 2), reducing(1, 0, 3));
  CHECK(std::get<std::string>(many.tree()) ==
        "trees of fewer branches: " + many.name_of(many.spines[0]) + " has 4 and takes 3 (sharp-radix)");
}

}  // namespace lightrail::test

#include "network/routing/fabric_paths.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "network/routing/packet_switch_spec.hpp"
#include "tests/support/network_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

struct PlainSwitch final : PacketSwitchSpec {
  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override { return {}; }
};
struct UnknownSwitch final : Spec, PacketSwitchTraits {
  [[nodiscard]] std::uint32_t lane_count() const override { return 1; }
  [[nodiscard]] const RoutingKind& routing_kind() const override { return *static_routing(); }
};

/// NICs 0 and 1 on leaf 0, NIC 2 on leaf 1; the leaves have ports 0 and 1 down and 2 up to one spine.
struct Tree {
  NetworkBed bed;
  ComponentId nic[3] = {bed.add_endpoint(), bed.add_endpoint(), bed.add_endpoint()};
  ComponentId leaf[2] = {add(nanoseconds(100)), add(nanoseconds(100))}, spine = add(nanoseconds(300));
  Tree() {
    const std::uint16_t host = bed.link_class(nanoseconds(10), BitRate{400'000'000'000}),
                        trunk = bed.link_class(nanoseconds(150), BitRate{400'000'000'000});
    bed.connect(nic[0], 0, leaf[0], 0, host);
    bed.connect(nic[1], 0, leaf[0], 1, host);
    bed.connect(nic[2], 0, leaf[1], 0, host);
    for (const PortIndex i : {PortIndex{0}, PortIndex{1}}) bed.connect(leaf[i], 2, spine, i, trunk);
    bed.route(leaf[0], SwitchRoute{{{0, 2, 1, 0, 1}}, 2, 1, {}});
    bed.route(leaf[1], SwitchRoute{{{2, 3, 1, 0, 1}}, 2, 1, {}});
    bed.route(spine, SwitchRoute{{{0, 2, 2, 0, 1}, {2, 3, 1, 1, 1}}, 0, 0, {}});
  }
  ComponentId add(SimTime latency) {
    auto spec = std::make_shared<PlainSwitch>();
    spec->latency = latency;
    return bed.add(probe_kind(nullptr), spec, "switch");
  }
};

}  // namespace

TEST_CASE("a path has its switches and the cables between them") {
  Tree tree;
  const FabricPaths paths(tree.bed.finish_model());
  CHECK(paths.switches() == 3);
  CHECK(paths.fabrics() == 1);
  REQUIRE(paths.attached().size() == 3);
  CHECK(paths.attached()[2].nic == tree.nic[2]);
  CHECK(paths.attached()[2].switch_index == 1);

  const auto near = paths.path(0, Lid{1});
  REQUIRE(near);
  CHECK(near->nic == tree.nic[1]);
  CHECK(near->latency == nanoseconds(100));
  const auto far = paths.path(0, Lid{2});
  REQUIRE(far);
  CHECK(far->nic == tree.nic[2]);
  CHECK(far->switch_index == 1);
  CHECK(far->latency == nanoseconds(100 + 150 + 300 + 150 + 100));
  CHECK_FALSE(paths.path(0, Lid{3}));
}

TEST_CASE("the nearest of some switches is as far as the shortest path between them") {
  Tree tree;
  const FabricPaths paths(tree.bed.finish_model());
  const SimTime leaf = nanoseconds(100), spine = nanoseconds(300), cable = nanoseconds(150);
  const std::vector<SimTime> of_first{leaf, 2 * leaf + spine + 2 * cable, leaf + cable + spine};
  CHECK(paths.nearest(std::vector<std::uint32_t>{0}) == of_first);
  CHECK(of_first[1] == paths.path(0, Lid{2})->latency);
  CHECK(paths.nearest(std::vector<std::uint32_t>{0, 1}) ==
        std::vector<SimTime>{leaf, leaf, leaf + cable + spine});
  CHECK(paths.nearest({}) == std::vector<SimTime>(3, time_never));
}

TEST_CASE("routes that lead in a circle lead nowhere") {
  Tree tree;
  tree.bed.route(tree.spine, SwitchRoute{{{0, 3, 3, 0, 1}}, 0, 0, {}});  // all back to leaf 0
  CHECK_FALSE(FabricPaths(tree.bed.finish_model()).path(0, Lid{2}));
}

TEST_CASE("switches that no cable joins are fabrics of their own") {
  Tree tree;
  const ComponentId lone = tree.add(nanoseconds(1)), other = tree.bed.add_endpoint();
  tree.bed.connect(other, 0, lone, 0, 0);
  tree.bed.route(lone, SwitchRoute{{{3, 4, 1, 0, 1}}, 0, 0, {}});
  const FabricPaths paths(tree.bed.finish_model());
  CHECK(paths.fabrics() == 2);
  REQUIRE(paths.attached().size() == 4);
  CHECK(paths.attached()[3].fabric == 1);
  CHECK(paths.path(paths.attached()[3].switch_index, Lid{3})->nic == other);
  CHECK_FALSE(paths.path(paths.attached()[3].switch_index, Lid{0}));
}

TEST_CASE("a switch without routes, and one that tells no latency, are refused by name") {
  Tree tree;
  tree.add(nanoseconds(1));
  CHECK_THROWS_WITH(FabricPaths(tree.bed.finish_model()), Catch::Contains("switch6 has no routes"));
  Tree other;
  const ComponentId unknown = other.bed.add(probe_kind(nullptr), std::make_shared<UnknownSwitch>(), "plugin");
  other.bed.route(unknown, {});
  CHECK_THROWS_WITH(FabricPaths(other.bed.finish_model()),
                    Catch::Contains("plugin6 is of a kind whose latency"));
}

#include "fabrics/clos/fabric_layout.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/fabrics/test_system.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

FabricLayout layout(const std::string& xml) {
  const Model model = system(xml);
  const auto* layouts = model.resource<FabricLayouts>();
  REQUIRE(layouts);
  REQUIRE(layouts->all.size() == 1);
  return layouts->all[0];
}
std::string storage(int servers) {
  return "<storage servers=\"" + std::to_string(servers) +
         "\" nics=\"2\"><storage-server/><nic/><link role=\"pcie\" kind=\"pcie\" "
         "generation=\"4\"/></storage>";
}

}  // namespace

// 64 switch ports at 3:1 are 48 NICs and 16 uplinks: 64 NICs need two leaves, 32 each with ceil(32 / 3)
// uplinks.
TEST_CASE("64 NICs at 3:1 are 32 on each of two leaves with 11 uplinks") {
  const FabricLayout found =
      layout(cluster(8, 8, 8) + fabric("kind=\"fat-tree\" oversubscription=\"3\"", 64));
  REQUIRE(found.networks.size() == 1);
  CHECK(found.networks[0].nics == std::vector<std::uint32_t>{32, 32});
  CHECK((found.networks[0].shape.up == 11 && found.networks[0].shape.spines == 1));
  CHECK(layout_warnings(found).empty());
  CHECK(layout_text(found) ==
        "fabric fat-tree: 64 NICs, 2 tiers, oversubscription 3\n"
        "  2 leaves of 32 NICs and 11 uplinks, 2.91:1\n"
        "  1 spine, 11 links from each leaf to each\n");
}

TEST_CASE("leaves of an oversubscribed fat tree differ by one NIC at most, in three tiers too") {
  // 256 NICs on leaves of 12 + 4: 22, of 12 (14 of them) and 11; groups of 8 leaves, the last of 6.
  const FabricLayout found =
      layout(cluster(128, 2, 2) + fabric("kind=\"fat-tree\" tiers=\"3\" oversubscription=\"3\"", 16));
  CHECK(layout_text(found) ==
        "fabric fat-tree: 256 NICs, 3 tiers, oversubscription 3\n"
        "  14 leaves of 12 NICs and 4 uplinks, 3:1\n"
        "  8 leaves of 11 NICs and 4 uplinks, 2.75:1\n"
        "  3 groups of 8, 8, 6 leaves, 4 spines each, 1 link from each leaf to each\n"
        "  8 cores, 4 links from each spine of its plane to each\n");
  const std::vector<InputError> warnings = layout_warnings(found);  // 11 / 4 is 8 % less than 3
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].what ==
        "<fabric> attribute 'oversubscription': 3 was asked for, but 8 of 22 leaves have fewer NICs for each "
        "uplink, down to 11 for 4: 2.75:1");
}

TEST_CASE("tiers that a small system does not need are said to be missing") {
  // 16 leaves of two NICs: spines of 64 ports join 32 leaves of a group.
  const FabricLayout two =
      layout(cluster(16, 2, 2) + fabric("kind=\"fat-tree\" tiers=\"3\" nics-per-leaf=\"2\"", 64));
  CHECK(built_tiers(two) == 2);
  CHECK(layout_text(two) ==
        "fabric fat-tree: 32 NICs, 2 of 3 tiers\n"
        "  16 leaves of 2 NICs and 2 uplinks, 1:1\n"
        "  2 spines, 1 link from each leaf to each\n"  // as for 32 leaves
        "  one group has all leaves: no cores\n");
  const FabricLayout one = layout(cluster(4, 2, 2) + fabric("kind=\"fat-tree\" nics-per-leaf=\"8\"", 64));
  CHECK(built_tiers(one) == 1);
  CHECK(layout_text(one) ==
        "fabric fat-tree: 8 NICs, 1 of 2 tiers\n"
        "  1 switch of 8 NICs\n"
        "  one leaf has all NICs: no spines\n");
  CHECK(layout_text(layout(cluster(4, 2, 2) + fabric("kind=\"rail-only\" tiers=\"2\"", 64))) ==
        "fabric rail-only: 8 NICs, 1 of 2 tiers\n"
        "  2 networks by themselves, each:\n"
        "  1 switch of 4 NICs\n"
        "  one leaf has all NICs: no spines\n");
}

TEST_CASE("pods of an oversubscribed rail-optimised fabric are even, and storage leaves no larger") {
  // 8 ports at 3:1: pods of 6 servers at most, so 7 servers are 4 and 3 with 2 uplinks a leaf.
  const FabricLayout found =
      layout(cluster(7, 2, 2) + storage(3) + fabric("kind=\"rail-optimised\" oversubscription=\"3\"", 8));
  CHECK(found.networks[0].nics == std::vector<std::uint32_t>{4, 4, 3, 3, 3, 3});
  CHECK(found.networks[0].pods == 2);
  CHECK(found.networks[0].shape.up == 2);
}

TEST_CASE("every rail of an oversubscribed rail-only fabric is filled evenly") {
  const FabricLayout found =
      layout(cluster(9, 2, 2) + fabric("kind=\"rail-only\" tiers=\"2\" oversubscription=\"2\"", 12));
  CHECK(layout_text(found) ==
        "fabric rail-only: 18 NICs, 2 tiers, oversubscription 2\n"
        "  2 networks by themselves, each:\n"
        "  1 leaf of 5 NICs and 3 uplinks, 1.67:1\n"
        "  1 leaf of 4 NICs and 3 uplinks, 1.33:1\n"
        "  1 spine, 3 links from each leaf to each\n");
}

TEST_CASE("leaves that are asked for, or not oversubscribed, are filled one after the other") {
  CHECK(layout(cluster(8, 8, 8) + fabric("kind=\"fat-tree\" oversubscription=\"3\" nics-per-leaf=\"48\"", 64))
            .networks[0]
            .nics == std::vector<std::uint32_t>{48, 16});
  CHECK(layout(cluster(5, 8, 8) + fabric("kind=\"fat-tree\"", 64)).networks[0].nics ==
        std::vector<std::uint32_t>{32, 8});
}

// 23 uplinks of three leaves, 69 links, need two spines of 64 ports and divide among 23 alone; 24 among two.
TEST_CASE("a leaf has an uplink more where that saves spines and keeps the ratio") {
  const FabricLayout found =
      layout(cluster(51, 2, 2) + fabric("kind=\"fat-tree\" oversubscription=\"1.5\"", 64));
  CHECK(found.networks[0].nics == std::vector<std::uint32_t>{34, 34, 34});
  CHECK((found.networks[0].shape.up == 24 && found.networks[0].shape.spines == 2));
  CHECK(layout_warnings(found).size() == 1);  // 34 / 24 is 6 % less than 1.5, which is told
}

TEST_CASE("spines that were asked for get equally many uplinks, and a word where that breaks the ratio") {
  const FabricLayout found =
      layout(cluster(8, 8, 8) + fabric("kind=\"fat-tree\" oversubscription=\"3\" spines=\"8\"", 64));
  CHECK((found.networks[0].shape.up == 16 && found.networks[0].shape.leaf_links == 2));
  const std::vector<InputError> warnings = layout_warnings(found);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].line > 0);
  CHECK(warnings[0].what ==
        "<fabric> attribute 'oversubscription': 3 was asked for, but 2 of 2 leaves have fewer NICs for each "
        "uplink, down to 32 for 16: 2:1");
}

TEST_CASE("a nearly empty last leaf is worth a word") {
  const std::vector<InputError> warnings = layout_warnings(
      layout(cluster(8, 8, 8) + fabric("kind=\"fat-tree\" oversubscription=\"3\" nics-per-leaf=\"48\"", 64)));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].what ==
        "<fabric> attribute 'oversubscription': 3 was asked for, but 1 of 2 leaves has fewer NICs for each "
        "uplink, down to 16 for 16: 1:1");
}

TEST_CASE("1:1 that was asked for is as many uplinks as NICs, where leaves have room for more") {
  const std::string rails = cluster(16, 8, 8);
  const FabricLayout usual = layout(rails + fabric("kind=\"rail-optimised\"", 64));
  CHECK(usual.networks[0].shape.up == 32);
  CHECK(has_spare_uplinks(usual));
  const FabricLayout asked = layout(rails + fabric("kind=\"rail-optimised\" oversubscription=\"1\"", 64));
  CHECK((asked.networks[0].shape.up == 16 && asked.networks[0].shape.spines == 2));
  CHECK_FALSE(has_spare_uplinks(asked));
  CHECK_FALSE(has_spare_uplinks(layout(cluster(5, 8, 8) + fabric("kind=\"fat-tree\"", 64))));  // one is full
}

TEST_CASE("1:1 that was asked for is warned of where every leaf has more uplinks") {
  // Rails of 16 NICs, of which a leaf may take 8 servers' at most, with 32 uplinks that 32 spines share.
  const auto warnings = layout_warnings(
      layout(cluster(16, 8, 8) + fabric("kind=\"rail-optimised\" oversubscription=\"1\" spines=\"32\"", 64)));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].what ==
        "<fabric> attribute 'oversubscription': 1 was asked for, but 8 of 8 leaves have fewer NICs for each "
        "uplink, down to 16 for 32: 0.5:1");
  // Leaves of 7 and 6 servers' NICs have 7 uplinks: one has as many.
  CHECK(layout_warnings(layout(cluster(5, 8, 8) + fabric("kind=\"fat-tree\" oversubscription=\"1\"", 64)))
            .empty());
}

TEST_CASE("one leaf is not oversubscribed, whatever was asked for") {
  const FabricLayout found =
      layout(cluster(4, 8, 8) + fabric("kind=\"fat-tree\" oversubscription=\"3\"", 64));
  CHECK(layout_text(found) ==
        "fabric fat-tree: 32 NICs, 1 of 2 tiers, oversubscription 3\n"
        "  1 switch of 32 NICs\n"
        "  one leaf has all NICs: no spines\n");
  const std::vector<InputError> warnings = layout_warnings(found);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].what ==
        "<fabric> attribute 'oversubscription': 3 was asked for, but all 32 NICs are on one leaf, where "
        "nothing is oversubscribed");
}

TEST_CASE("pods and uplinks of a full fabric are in its layout, without a word") {
  const FabricLayout found = layout(cluster(30, 8, 8) + fabric("kind=\"rail-optimised\"", 64));
  CHECK(layout_text(found) ==
        "fabric rail-optimised: 240 NICs, 2 tiers\n"
        "  8 leaves of 30 NICs and 32 uplinks, 0.938:1\n"
        "  1 pod, a leaf for each rail in each\n"
        "  4 spines, 8 links from each leaf to each\n");
  CHECK(layout_warnings(found).empty());
}

TEST_CASE("a single switch has no tiers to speak of") {
  CHECK(layout_text(layout(cluster(4, 2, 2) + fabric("kind=\"single-switch\"", 8))) ==
        "fabric single-switch: 8 NICs, 1 tier\n"
        "  1 switch of 8 NICs\n");
}

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/unit/fabrics/test_system.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

std::map<std::string, std::uint32_t> switch_counts(const Model& model) {
  std::map<std::string, std::uint32_t> counts;
  for (const ComponentRecord& record : model.components)
    if (model.kinds[record.kind]->name == "switch") ++counts[model.name_prefixes[record.name_prefix]];
  return counts;
}

/// Cables between components whose names start with `a` and `b`.
std::uint32_t cables(const Model& model, const std::string& a, const std::string& b) {
  std::uint32_t count = 0;
  for (std::size_t l = 0; l < model.links.size(); l += 2)
    count += model.component_name(model.links[l].from).starts_with(a) &&
             model.component_name(model.links[l].to).starts_with(b);
  return count;
}

/// Lids below a switch: those of NICs that can be reached going down only.
std::set<std::uint32_t> lids_below(const Model& model, ComponentId id,
                                   const std::map<std::uint32_t, std::uint32_t>& lid_of_nic) {
  const SwitchRoute& route = model.resource<RoutingTables>()->of(id);
  std::set<std::uint32_t> lids;
  for (std::uint32_t port = 0; port < model.components[id.value].port_count; ++port) {
    if (route.up_count > 0 && port >= route.first_up && port < route.first_up + route.up_count) continue;
    const ComponentId below = far_end(model, id, port);
    if (!below.is_valid()) continue;
    if (auto nic = lid_of_nic.find(below.value); nic != lid_of_nic.end()) {
      lids.insert(nic->second);
    } else {
      lids.merge(lids_below(model, below, lid_of_nic));
    }
  }
  return lids;
}

void expect_intervals(const Model& model) {
  const auto& book = *model.resource<AddressBook>();
  std::map<std::uint32_t, std::uint32_t> lid_of_nic;
  for (std::size_t e = 0; e < book.endpoints.size(); ++e)
    for (std::uint32_t port = 0; port < model.components[book.component_of[e].value].port_count; ++port) {
      const ComponentId nic = far_end(model, book.component_of[e], port);
      if (nic.is_valid() && model.name_prefixes[model.components[nic.value].name_prefix] == "nic" &&
          !lid_of_nic.count(nic.value)) {
        lid_of_nic[nic.value] = book.endpoints[e].lid.value;
        break;
      }
    }
  for (const auto& [id, route] : model.resource<RoutingTables>()->route_of) {
    const std::set<std::uint32_t> lids = lids_below(model, ComponentId{id}, lid_of_nic);
    REQUIRE(!lids.empty());
    CHECK(*lids.rbegin() - *lids.begin() + 1 == lids.size());
  }
}

}  // namespace

TEST_CASE("a rail-optimised fabric joins one rail of a pod by one leaf") {
  const Model model = system(cluster(30, 8, 8) + fabric("kind=\"rail-optimised\" tiers=\"2\"", 64));
  expect_sound(model);
  CHECK(switch_counts(model) == std::map<std::string, std::uint32_t>{{"leaf", 8}, {"spine", 4}});
  for (std::uint32_t server = 0; server < 30; ++server)
    for (std::uint32_t rail = 0; rail < 8; ++rail)
      REQUIRE(far_end(model, find(model, "nic" + std::to_string(server * 8 + rail)), 0) ==
              find(model, "leaf" + std::to_string(rail)));
  CHECK(cables(model, "leaf", "spine") == 8 * 32);
  CHECK(expect_all_reachable(model, true) == 3);
  expect_intervals(model);
}

TEST_CASE("racks of 72 NICs on four rails put 18 of them on a leaf") {
  // A leaf of 64 ports has 32 down: one rack of 18 NICs a leaf, four leaves a rack.
  const Model model = system(cluster(3, 72, 72) + fabric("kind=\"rail-optimised\" rails=\"4\"", 64));
  expect_sound(model);
  CHECK(switch_counts(model)["leaf"] == 3 * 4);
  for (std::uint32_t nic = 0; nic < 3 * 72; ++nic)
    REQUIRE(far_end(model, find(model, "nic" + std::to_string(nic)), 0) ==
            find(model, "leaf" + std::to_string(nic / 72 * 4 + nic % 4)));
  CHECK(expect_all_reachable(model, true) == 3);
  expect_intervals(model);
}

TEST_CASE("a last pod that is not full has leaves of its own") {
  // 5 servers, pods of 2: 3 pods of 4 rails.
  const Model model = system(cluster(5, 4, 4) + fabric("kind=\"rail-optimised\" servers-per-pod=\"2\"", 16));
  CHECK(switch_counts(model)["leaf"] == 12);
  CHECK(far_end(model, find(model, "nic17"), 0) == find(model, "leaf9"));
  CHECK(expect_all_reachable(model, true) == 3);
  expect_intervals(model);
}

TEST_CASE("a rail-optimised fabric of three tiers joins groups of pods by cores") {
  // Switches of 8 ports: leaf 4 + 4, group of 4 leaves = 2 pods of 2 rails, 8 servers; 20 servers: 3 groups,
  // the last half full.
  const Model model = system(cluster(20, 2, 2) + fabric("kind=\"rail-optimised\" tiers=\"3\"", 8));
  expect_sound(model);
  const auto counts = switch_counts(model);
  CHECK(counts.at("leaf") == 10);
  CHECK(counts.at("spine") == 12);
  CHECK(counts.at("core") == 8);  // 4 planes of 2 cores: 3 groups x 4 uplinks = 12 > 8 ports
  CHECK(expect_all_reachable(model, true) == 5);
  expect_intervals(model);
}

TEST_CASE("a full fabric without oversubscription has the same bandwidth in every tier") {
  const Model two = system(cluster(8, 4, 4) + fabric("kind=\"rail-optimised\"", 8));
  CHECK(cables(two, "nic", "leaf") == 32);
  CHECK(cables(two, "leaf", "spine") == 32);
  const Model three = system(cluster(64, 2, 2) + fabric("kind=\"fat-tree\" tiers=\"3\"", 8));
  CHECK(cables(three, "nic", "leaf") == 128);
  CHECK(cables(three, "leaf", "spine") == 128);
  CHECK(cables(three, "spine", "core") == 128);
  CHECK(switch_counts(three) ==
        std::map<std::string, std::uint32_t>{{"leaf", 32}, {"spine", 32}, {"core", 16}});
  CHECK(expect_all_reachable(three, true) == 5);
}

TEST_CASE("oversubscription 3 leaves a third of the uplinks") {
  const Model model = system(cluster(12, 2, 2) + fabric("kind=\"fat-tree\" oversubscription=\"3\"", 8));
  CHECK(cables(model, "nic", "leaf") == 24);
  CHECK(switch_counts(model)["leaf"] == 4);
  CHECK(cables(model, "leaf", "spine") == 8);
  CHECK(expect_all_reachable(model, true) == 3);
  expect_intervals(model);
}

TEST_CASE("a fat-tree fills its leaves server by server") {
  const Model model = system(cluster(6, 3, 3) + fabric("kind=\"fat-tree\" nics-per-leaf=\"4\"", 8));
  for (std::uint32_t nic = 0; nic < 18; ++nic)
    REQUIRE(far_end(model, find(model, "nic" + std::to_string(nic)), 0) ==
            find(model, "leaf" + std::to_string(nic / 4)));
}

TEST_CASE("rail-only joins each rail by itself and no two rails") {
  const Model model = system(cluster(4, 2, 2) + fabric("kind=\"rail-only\"", 8));
  CHECK(switch_counts(model) == std::map<std::string, std::uint32_t>{{"switch", 2}});
  const auto& book = *model.resource<AddressBook>();
  const auto& routing = *model.resource<RoutingTables>();
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu)
    for (std::uint32_t rail = 0; rail < 2; ++rail)
      CHECK((routing.of(find(model, "switch" + std::to_string(rail)))
                 .candidates(book.endpoints[gpu].lid)
                 .count > 0) == (book.endpoints[gpu].nic == rail));
}

TEST_CASE("rail-only of two tiers gives every rail its own spines") {
  const Model model = system(cluster(6, 2, 2) + fabric("kind=\"rail-only\" tiers=\"2\"", 4));
  expect_sound(model);
  CHECK(switch_counts(model) == std::map<std::string, std::uint32_t>{{"leaf", 6}, {"spine", 4}});
}

TEST_CASE("storage has leaves of its own behind the rails") {
  const Model model = system(cluster(4, 2, 2) +
                             "<storage servers=\"3\" nics=\"2\"><storage-server/><nic/><link role=\"pcie\" "
                             "kind=\"pcie\" generation=\"4\"/></storage>" +
                             fabric("kind=\"rail-optimised\"", 8));
  expect_sound(model);
  CHECK(switch_counts(model)["leaf"] == 4);
  CHECK(far_end(model, find(model, "nic8"), 0) == find(model, "leaf2"));
  CHECK(far_end(model, find(model, "storage10"), 1) == find(model, "nic13"));
  expect_all_reachable(model, true);
}

TEST_CASE("the fabric's routing reaches every switch") {
  const Model model = system(cluster(2, 1, 1, "") + fabric("kind=\"single-switch\" routing=\"adaptive\"", 4));
  const ComponentRecord& record = model.components[find(model, "switch0").value];
  std::string routing;
  for (const ParameterValue& value : model.kinds[record.kind]->values(*model.specs[record.spec]))
    if (value.name == "routing") routing = value.value;
  CHECK(routing == "adaptive");
}

TEST_CASE("switches of one shape share one route") {
  const Model model = system(cluster(8, 4, 4) + fabric("kind=\"rail-optimised\"", 8));
  // 8 leaves have a route each, 4 spines one together.
  CHECK(model.resource<RoutingTables>()->routes.size() == 9);
}

TEST_CASE("65,536 GPUs fit three tiers of 64 ports exactly") {
  const Model model = system(cluster(8192, 8, 8) + fabric("kind=\"rail-optimised\" tiers=\"3\"", 64));
  CHECK(model.resource<AddressBook>()->lid_count == 65536);
  CHECK(switch_counts(model) ==
        std::map<std::string, std::uint32_t>{{"leaf", 2048}, {"spine", 2048}, {"core", 1024}});
  for (const ComponentRecord& record : model.components) {
    if (model.kinds[record.kind]->name != "switch") continue;
    for (std::uint32_t port = 0; port < record.port_count; ++port)
      REQUIRE(model.ports[record.first_port + port].out.is_valid());
  }
}

namespace {

/// `servers` of two GPUs with a NIC of two ports each.
std::string dual_cluster(int servers) {
  std::string text = cluster(servers, 2, 2);
  return text.replace(text.find("<nic/>"), 6, "<nic ports=\"2\"/>");
}

}  // namespace

TEST_CASE("leaves in pairs have the same NICs, each a port of them, and the spines join all leaves") {
  for (const std::string attributes :
       {"kind=\"rail-optimised\" tiers=\"2\" servers-per-pod=\"4\"", "kind=\"fat-tree\" nics-per-leaf=\"4\"",
        "kind=\"fat-tree\" tiers=\"3\" nics-per-leaf=\"2\" leaves-per-group=\"4\"",
        "kind=\"rail-optimised\" tiers=\"3\" servers-per-pod=\"2\" pods-per-group=\"1\""}) {
    INFO(attributes);
    const Model model = system(dual_cluster(8) + fabric(attributes + " dual-tor=\"joined\"", 16));
    expect_sound(model);
    CHECK(expect_all_reachable(model, true) <= 5);
    CHECK(model.resource<AddressBook>()->lid_count == 16);
    const std::uint32_t leaves = switch_counts(model)["leaf"];
    REQUIRE(leaves % 2 == 0);
    for (std::uint32_t pair = 0; pair < leaves / 2; ++pair) {
      const ComponentId first = find(model, "leaf" + std::to_string(2 * pair)),
                        second = find(model, "leaf" + std::to_string(2 * pair + 1));
      CHECK(model.resource<RoutingTables>()->of(first).has_twin);
      for (std::uint32_t port = 0; port < model.components[first.value].port_count / 2; ++port) {
        const ComponentId nic = far_end(model, first, port);
        if (!nic.is_valid() || !model.component_name(nic).starts_with("nic")) continue;
        CHECK(far_end(model, second, port) == nic);
        CHECK(far_end(model, nic, 0) == first);
        CHECK(far_end(model, nic, 1) == second);
      }
    }
  }
}

TEST_CASE("planes are a network for each port of the NICs, which nothing joins") {
  for (const std::string attributes :
       {"kind=\"rail-optimised\" tiers=\"2\" servers-per-pod=\"4\"", "kind=\"fat-tree\" nics-per-leaf=\"4\"",
        "kind=\"single-switch\"", "kind=\"rail-only\""}) {
    INFO(attributes);
    const Model model = system(dual_cluster(8) + fabric(attributes + " dual-tor=\"planes\"", 16));
    expect_sound(model);
    if (attributes.find("rail-only") == std::string::npos) CHECK(expect_all_reachable(model, true) <= 3);
    CHECK(model.resource<AddressBook>()->lid_count == 16);
    const auto counts = switch_counts(model);
    const std::string name = counts.contains("leaf") ? "leaf" : "switch";
    const std::uint32_t half = counts.at(name) / 2;
    CHECK(counts.at(name) == 2 * half);
    for (std::uint32_t n = 0; n < 16; ++n) {
      const ComponentId nic = find(model, "nic" + std::to_string(n));
      const ComponentId first = far_end(model, nic, 0), second = far_end(model, nic, 1);
      CHECK(model.components[first.value].number + half == model.components[second.value].number);
      CHECK(!model.resource<RoutingTables>()->of(first).has_twin);
    }
  }
}

TEST_CASE("NICs of two ports and fabrics that do not take them are refused by name") {
  const std::string two = dual_cluster(2);
  CHECK_THAT(
      problems(two + fabric("kind=\"fat-tree\"", 16)),
      Catch::Contains("<fabric> joins nic0, which has 2 ports (expected dual-tor=\"joined\" or \"planes\")"));
  CHECK_THAT(
      problems(cluster(2, 2, 2) + fabric("kind=\"fat-tree\" dual-tor=\"planes\"", 16)),
      Catch::Contains("<fabric> attribute 'dual-tor': nic0 has one port (expected <nic ports=\"2\">)"));
  CHECK_THAT(problems(two + fabric("kind=\"rail-only\" dual-tor=\"joined\"", 16)),
             Catch::Contains("'dual-tor': with one tier nothing joins two leaves (expected planes)"));
  CHECK_THAT(problems(two + fabric("kind=\"fat-tree\" tiers=\"3\" nics-per-leaf=\"2\" leaves-per-group=\"3\" "
                                   "dual-tor=\"joined\"",
                                   16)),
             Catch::Contains("'leaves-per-group': 3 leaves do not divide into pairs (dual-tor=\"joined\")"));
  CHECK_THAT(
      problems(two + fabric("kind=\"dragonfly-plus\" groups=\"2\" leaves-per-group=\"1\" "
                            "spines-per-group=\"1\" nics-per-leaf=\"2\"",
                            16)),
      Catch::Contains("<fabric kind=\"dragonfly-plus\"> joins nic0, which has 2 ports (expected one)"));
}

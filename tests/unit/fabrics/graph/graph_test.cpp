#include <catch2/catch.hpp>

#include <string>

#include "tests/unit/fabrics/graph_xml.hpp"

using namespace lightrail;
using namespace lightrail::test;

TEST_CASE("two GPUs behind a switch of an explicit graph") {
  const Model model = system(graph(node(0) + node(1) + "<switch name=\"s\" ports=\"4\"/>" +
                                   wire("n0:0", "s:3") + wire("n1:0", "s:1")));
  expect_sound(model);
  CHECK(model.atom_count == 3);
  CHECK(model.component_name(ComponentId{0}) == "g0");
  CHECK(far_end(model, find(model, "s"), 3) == find(model, "n0"));
  CHECK(!far_end(model, find(model, "s"), 0).is_valid());
  const auto& book = *model.resource<AddressBook>();
  CHECK(book.lid_count == 2);
  CHECK((book.endpoints[0].server == 0 && book.endpoints[1].server == 1));
  CHECK(expect_all_reachable(model, false) == 1);
}

TEST_CASE("what is joined by other links than a NIC's port 0 is one server") {
  const Model model = system(
      graph("<gpu name=\"a\"/><gpu name=\"b\"/><nvswitch name=\"v\"/><nic name=\"n\"/><host name=\"h\"/>" +
            node(9) + "<switch name=\"s\" ports=\"2\"/>" + wire("a:0", "v:0", "nvlink") +
            wire("v:1", "b:0", "nvlink") + wire("a:1", "n:1", "pcie") + wire("b:1", "n:2", "pcie") +
            wire("h:0", "a:2", "pcie") + wire("h:1", "b:2", "pcie") + wire("h:2", "n:3", "pcie") +
            wire("n:0", "s:0") + wire("n9:0", "s:1")));
  expect_sound(model);
  const auto& book = *model.resource<AddressBook>();
  CHECK(book.gpu_count == 3);
  CHECK(model.component_name(book.component_of[3]) == "h");
  CHECK(book.endpoints[1].local == 1);
  CHECK(book.endpoints[1].lid == book.endpoints[3].lid);
  CHECK(book.endpoints[2].server == 1);
  CHECK(model.components[find(model, "h").value].atom == model.components[find(model, "a").value].atom);
}

TEST_CASE("NICs of a cluster may be joined by a graph") {
  const Model model =
      system(cluster(2, 2, 2) + graph("<switch name=\"s\" ports=\"4\"/>" + wire("nic0:0", "s:0") +
                                      wire("nic1:0", "s:1") + wire("nic2:0", "s:2") + wire("nic3:0", "s:3")));
  expect_sound(model);
  CHECK(expect_all_reachable(model, false) == 1);
}

TEST_CASE("two NICs may be joined without a switch") {
  const Model model = system(graph(node(0) + node(1) + wire("n0:0", "n1:0")));
  CHECK(far_end(model, find(model, "n0"), 0) == find(model, "n1"));
  CHECK(expect_all_reachable(model, false) == 0);
}

TEST_CASE("routes take the fewest hops and all alternatives among them") {
  // s0 - s1, s0 - s2 - s1 and a second cable s0 - s1: the long way round is not taken.
  const Model model = system(graph(
      node(0) + node(1) +
      "<switch name=\"s0\" ports=\"4\"/><switch name=\"s1\" ports=\"4\"/><switch name=\"s2\" ports=\"4\"/>" +
      wire("n0:0", "s0:0") + wire("n1:0", "s1:0") + wire("s0:1", "s1:1") + wire("s0:2", "s1:2") +
      wire("s0:3", "s2:0") + wire("s2:1", "s1:3")));
  const auto to_n1 = model.resource<RoutingTables>()->of(find(model, "s0")).candidates(Lid{1});
  REQUIRE(to_n1.count == 2);
  CHECK((to_n1[0] == 1 && to_n1[1] == 2));
  CHECK(expect_all_reachable(model, false) == 2);
}

TEST_CASE("routes follow the circuits of optical switches at the start") {
  const std::string xml =
      graph(node(0) + node(1) + node(2) +
            "<switch name=\"s\" ports=\"8\"/><switch name=\"t\" ports=\"8\"/><ocs name=\"o\" ports=\"8\" "
            "insertion-loss=\"1 dB\" circuits=\"0-4 1-5\"/>" +
            wire("n0:0", "s:0") + wire("n1:0", "t:0") + wire("n2:0", "t:1") + wire("s:4", "o:0", "fibre") +
            wire("s:5", "o:1", "fibre") + wire("t:4", "o:4", "fibre") + wire("t:5", "o:5", "fibre") +
            wire("t:6", "o:6", "fibre"));
  const Model model = system(xml);
  const auto& routing = *model.resource<RoutingTables>();
  const auto ways = routing.of(find(model, "t")).candidates(Lid{0});
  REQUIRE(ways.count == 2);  // port 6 is dark
  CHECK((ways[0] == 4 && ways[1] == 5));
  CHECK(routing.of(find(model, "s")).candidates(Lid{2}).count == 2);
}

TEST_CASE("a component of any kind can stand in a graph") {
  const Model model = system(graph(node(0) + node(1) + "<component name=\"x\" kind=\"relay\"/>" +
                                       wire("n0:0", "x:0") + wire("n1:0", "x:1"),
                                   "allow-unreachable=\"on\""));
  expect_sound(model);
  CHECK(model.components[find(model, "x").value].port_count == 2);
}

TEST_CASE("a graph stands beside a fabric when it is allowed to be apart") {
  const std::string apart = cluster(2, 1, 1, "") + fabric("kind=\"single-switch\"", 4);
  const std::string pair = node(0) + node(1) + wire("n0:0", "n1:0");
  const Model model = system(apart + graph(pair, "allow-unreachable=\"on\""));
  expect_sound(model);
  const auto& book = *model.resource<AddressBook>();
  CHECK(book.lid_count == 4);
  CHECK(book.endpoints[2].server == 2);
  CHECK_THAT(problems(apart + graph(pair)),
             Catch::Contains("2 NICs are joined by <graph> and 2 by <fabric>, and nothing joins the two"));
}

TEST_CASE("a switch's own table takes the place of shortest paths, for the NICs that it names") {
  // Two cables between s0 and s1: what is for NIC 1 takes the second, what is for NIC 0 goes as before.
  const std::string inside = "<switch name=\"s0\" ports=\"4\"/><switch name=\"s1\" ports=\"4\"/>" +
                             wire("nic0:0", "s0:0") + wire("nic1:0", "s1:0") + wire("s0:1", "s1:1") +
                             wire("s0:2", "s1:2");
  const Model model = system(cluster(2, 1, 1) + graph(inside + "<routes of=\"s0\" ports=\"2:1\"/>"));
  const auto& routing = *model.resource<RoutingTables>();
  const auto to_nic1 = routing.of(find(model, "s0")).candidates(Lid{1});
  REQUIRE(to_nic1.count == 1);
  CHECK(to_nic1[0] == 2);
  CHECK(routing.of(find(model, "s1")).candidates(Lid{0}).count == 2);
}

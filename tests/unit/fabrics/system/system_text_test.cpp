#include <string>

#include "fabrics/system/system_text.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/fabrics/graph_xml.hpp"

using namespace lightrail;
using namespace lightrail::test;
using Catch::Contains;

TEST_CASE("the map counts components, ports and cables") {
  const std::string map =
      map_text(system(cluster(4, 2, 2) + fabric("kind=\"rail-optimised\" servers-per-pod=\"2\"", 8)));
  CHECK_THAT(map, Contains("leaf                4         32         16              4"));
  CHECK_THAT(map, Contains("spine               1          8          8              8"));
  CHECK_THAT(map, Contains("leaf -> spine                   8 electrical           400.0 Gb/s"));
  CHECK_THAT(map, Contains("9 atoms, 8 endpoints (8 GPUs), 8 lids"));
}

TEST_CASE("the map says what trains are shorter than those of its cables") {
  const auto map = [](const std::string& network) {
    return map_text(system(cluster(2, 2, 2) + fabric("kind=\"single-switch\"", 8) + network));
  };
  const std::string as_usual = map("");
  CHECK_THAT(as_usual, Contains("trains of a message that meets others: 8 at least\n"));
  CHECK_THAT(map("<network trains-per-message=\"3\"/>"), Contains("others: 3 at least\n"));
  CHECK_THAT(map("<network trains-per-message=\"1\"/>"), !Contains("meets others"));
  CHECK_THAT(map("<network grain=\"1\" nvlink-grain=\"1\"/>"), !Contains("trains of"));
}

TEST_CASE("the graph has a box for each atom and an edge for each pair that is joined") {
  const std::string dot = dot_text(system(cluster(2, 2, 2) + fabric("kind=\"single-switch\"", 8)));
  CHECK_THAT(dot, Catch::StartsWith("graph system {"));
  CHECK_THAT(dot, Contains("a0 [label=\"gpu0 ...\\n2 gpu\\n2 nic\\n1 nvswitch\"];"));
  CHECK_THAT(dot, Contains("a2 [label=\"switch0\"];"));
  CHECK_THAT(dot, Contains("a0 -- a2 [label=\"2\"];"));
  CHECK_THAT(dot, Catch::EndsWith("}\n"));
}

TEST_CASE("components that the scenario names are listed by kind") {
  CHECK_THAT(map_text(system(graph(node(0) + node(1) + wire("n0:0", "n1:0")))), Contains("nic -> nic"));
}

TEST_CASE("a system without fibre has no budgets") {
  CHECK(budget_text(system(cluster(1, 2, 0))) == "");
}

TEST_CASE("every element of the system is documented") {
  std::string names;
  for (const auto& [name, parameters] : system_documentation(built_in_fabrics())) {
    names += name + ",";
    for (const ParameterDoc& parameter : parameters) CHECK(!parameter.doc.empty());
  }
  CHECK(names == "cluster,server,storage,users,fabric,graph,prices,price,link,transceiver,network,");
}

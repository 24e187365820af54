#include <cstdint>
#include <memory>
#include <vector>

#include "engine/partition/atom_graph.hpp"

#include <catch2/catch.hpp>

#include "tests/support/test_model.hpp"
#include "tests/support/token.hpp"

using namespace lightrail;
using namespace lightrail::test;

TEST_CASE("the graph of atoms has merged edges both ways, weights of work and of rate") {
  auto heavy = std::make_shared<ComponentKind>(*token_kind());
  heavy->name = "heavy";
  heavy->weight = 10;
  auto spec = std::make_shared<TokenSpec>();
  TestModel test;
  const ComponentId a = test.add(heavy, spec, 0), b = test.add(token_kind(), spec, 0);
  const ComponentId c = test.add(token_kind(), spec, 1), d = test.add(token_kind(), spec, 2);
  test.connect(a, b, SimTime{1});                            // inside atom 0
  test.connect(a, c, SimTime{5}, BitRate{100'000'000'000});  // two cables between atoms 0 and 1
  test.connect(b, c, SimTime{5}, BitRate{200'000'000'000});
  test.connect(c, d, SimTime{5}, BitRate{0});
  const AtomGraph graph = make_atom_graph(test.build());
  CHECK(graph.weight == std::vector<std::int32_t>{10 + 2 + 1 + 2, 1 + 3, 1 + 1});
  CHECK(graph.first == std::vector<std::int32_t>{0, 1, 3, 4});
  CHECK(graph.to == std::vector<std::int32_t>{1, 0, 2, 1});
  CHECK(graph.traffic == std::vector<std::int32_t>{2 * 101 + 2 * 201, 2 * 101 + 2 * 201, 2, 2});
}

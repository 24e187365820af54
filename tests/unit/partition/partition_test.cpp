#include "engine/partition/partition.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "engine/base/error.hpp"
#include "engine/base/random.hpp"
#include "engine/partition/atom_graph.hpp"
#include "tests/support/test_model.hpp"
#include "tests/support/token.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// A ring of atoms with 8 components each: short links inside an atom, longer ones between neighbours.
Model ring_of_servers(std::uint32_t servers, SimTime between) {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  for (std::uint32_t s = 0; s < servers; ++s)
    for (std::uint32_t i = 0; i < 8; ++i) test.add(token_kind(), spec, s);
  for (std::uint32_t s = 0; s < servers; ++s) {
    for (std::uint32_t i = 1; i < 8; ++i)
      test.connect(ComponentId{8 * s}, ComponentId{8 * s + i}, SimTime{1});
    if (servers > 1) test.connect(ComponentId{8 * s}, ComponentId{8 * ((s + 1) % servers) + 1}, between);
  }
  return test.build();
}

std::vector<int> atoms_by_rank(const Partition& partition) {
  std::vector<int> counts(static_cast<std::size_t>(partition.ranks), 0);
  for (auto rank : partition.rank_of_atom) ++counts.at(static_cast<std::size_t>(rank));
  return counts;
}

std::vector<Partitioner> available() {
  std::vector<Partitioner> all = {Partitioner::automatic, Partitioner::blocks};
  if (has_metis()) all.push_back(Partitioner::metis);
  return all;
}

}  // namespace

TEST_CASE("one rank holds everything and nothing is cut") {
  for (Partitioner partitioner : available()) {
    const Partition partition = make_partition(ring_of_servers(6, SimTime{500}), 1, partitioner);
    CHECK(partition.rank_of_atom == std::vector<std::int32_t>(6, 0));
    CHECK(partition.cut_links == 0);
    CHECK(partition.lookahead == time_never);
  }
}

// A ring cut into r arcs loses r cables, of which each is two directed links.
TEST_CASE("a ring of servers is cut into equal arcs and the lookahead is the latency between servers") {
  for (Partitioner partitioner : available())
    for (int ranks : {2, 4, 8}) {
      const Partition partition = make_partition(ring_of_servers(64, SimTime{500}), ranks, partitioner);
      CHECK(partition.lookahead == SimTime{500});
      CHECK(partition.cut_links == 2 * ranks);
      for (int atoms : atoms_by_rank(partition)) CHECK(atoms == 64 / ranks);
    }
}

TEST_CASE("every number of ranks works, also more ranks than atoms") {
  for (Partitioner partitioner : available())
    for (std::uint32_t servers : {1u, 2u, 3u, 7u, 20u})
      for (int ranks = 1; ranks <= 24; ++ranks) {
        const Partition partition =
            make_partition(ring_of_servers(servers, SimTime{500}), ranks, partitioner);
        REQUIRE(partition.rank_of_atom.size() == servers);
        int busy = 0;
        for (int atoms : atoms_by_rank(partition)) busy += atoms > 0;
        REQUIRE(busy == std::min(ranks, static_cast<int>(servers)));
      }
}

TEST_CASE("a model without components has a partition") {
  for (Partitioner partitioner : available()) {
    CHECK(make_partition(Model{}, 1, partitioner).rank_of_atom.empty());
    CHECK(make_partition(Model{}, 5, partitioner).rank_of_atom.empty());
  }
}

TEST_CASE("the same model gives the same partition every time") {
  for (Partitioner partitioner : available()) {
    const Partition first = make_partition(ring_of_servers(97, SimTime{500}), 5, partitioner);
    for (int i = 0; i < 3; ++i)
      CHECK(make_partition(ring_of_servers(97, SimTime{500}), 5, partitioner).rank_of_atom ==
            first.rank_of_atom);
  }
}

// 64 servers in a ring, cut in 4 * 2 arcs: every rank has two arcs and so four cut cables' ends.
TEST_CASE("pieces of a rank lie apart") {
  for (Partitioner partitioner : available()) {
    const Partition partition = make_partition(ring_of_servers(64, SimTime{500}), 4, {partitioner, 2});
    for (int atoms : atoms_by_rank(partition)) CHECK(atoms == 16);
    CHECK(partition.cut_links == 2 * 8);
  }
}

TEST_CASE("more pieces than atoms leave no rank without work") {
  for (Partitioner partitioner : available())
    for (int atoms : atoms_by_rank(make_partition(ring_of_servers(20, SimTime{500}), 7, {partitioner, 100})))
      CHECK(atoms > 0);
}

TEST_CASE("METIS finds the two halves that blocks cannot see") {
  if (!has_metis()) return;
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  for (std::uint32_t c = 0; c < 40; ++c) test.add(token_kind(), spec);
  for (std::uint32_t c = 0; c + 2 < 40; ++c)
    test.connect(ComponentId{c}, ComponentId{c + 2}, SimTime{100});  // odd, even
  test.connect(ComponentId{0}, ComponentId{1}, SimTime{100});
  const Model model = test.build();
  CHECK(make_partition(model, 2, Partitioner::metis).cut_links == 2);
  CHECK(make_partition(model, 2, Partitioner::blocks).cut_links > 2);
}

TEST_CASE("METIS is refused where it is not in the build") {
  if (has_metis()) return;
  CHECK_THROWS_WITH(make_partition(Model{}, 2, Partitioner::metis),
                    "partitioner 'metis' is not in this build (choose 'blocks')");
}

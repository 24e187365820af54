#include "engine/partition/partition.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/random.hpp"
#include "engine/model/load_hint.hpp"
#include "engine/partition/atom_graph.hpp"
#include "engine/partition/stripes.hpp"
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

/// Those that keep neighbours together.
std::vector<Partitioner> cutters() {
  std::vector<Partitioner> all = {Partitioner::automatic, Partitioner::blocks};
  return all;
}

std::vector<Partitioner> available() {
  std::vector<Partitioner> all = cutters();
  all.push_back(Partitioner::stripes);
  all.push_back(Partitioner::pods);
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
  for (Partitioner partitioner : cutters())
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

// A pipeline's stage is a run of servers or, where stages come first in the order of ranks, a stride of them.
TEST_CASE("stripes give every rank its share of any run and of any stride of servers") {
  const std::uint32_t servers = 960;
  for (int ranks : {2, 3, 4, 8}) {
    const Partition partition =
        make_partition(ring_of_servers(servers, SimTime{500}), ranks, Partitioner::stripes);
    const auto r = static_cast<std::uint32_t>(ranks);
    for (std::uint32_t first = 0; first < servers; first += r) {
      std::vector<std::int32_t> run(partition.rank_of_atom.begin() + first,
                                    partition.rank_of_atom.begin() + first + r);
      std::sort(run.begin(), run.end());
      for (std::uint32_t rank = 0; rank < r; ++rank) REQUIRE(run[rank] == static_cast<std::int32_t>(rank));
    }
    for (std::uint32_t stride = 1; stride <= 16; ++stride) {
      std::vector<std::uint32_t> count(r, 0);
      for (std::uint32_t s = 0; s < servers; s += stride)
        ++count[static_cast<std::size_t>(partition.rank_of_atom[s])];
      INFO("stride " << stride << " on " << ranks << " ranks");
      for (std::uint32_t c : count) CHECK(c * r * stride * 2 >= servers);  // at least half of a fair share
    }
  }
}

TEST_CASE("stripes give a rank that has a heavy atom fewer of the others, evenly over all") {
  std::vector<std::int32_t> weight(901, 10);
  weight[900] = 3'000;  // a quarter of all
  const std::vector<std::int32_t> rank_of = split_in_stripes(weight, 2);
  CHECK(rank_of[900] == 0);
  for (std::size_t first = 0; first + 60 <= 900; first += 60) {
    const auto begin = rank_of.begin() + static_cast<std::ptrdiff_t>(first);
    CHECK(std::abs(std::count(begin, begin + 60, 0) - 20) <=
          1);  // a third, for half of all with the heavy one
  }
  weight[0] = 2'000;  // the heaviest is dealt first, the next to the other rank
  const std::vector<std::int32_t> both = split_in_stripes(weight, 2);
  CHECK(both[900] == 0);
  CHECK(both[0] == 1);
  CHECK(std::count(both.begin(), both.end(), 0) == 1 + 400);
  CHECK(split_in_stripes(std::vector<std::int32_t>(900, 10), 3) == split_in_stripes(900, 3));
  // Of few atoms each has a sixteenth; servers beside lighter switches are dealt by count all the same.
  std::vector<std::int32_t> small(32, 72);
  std::fill(small.begin(), small.begin() + 16, 220);
  CHECK(split_in_stripes(small, 2) == split_in_stripes(32, 2));
  // What is heavier than all others together has a rank for itself.
  const std::vector<std::int32_t> one_heavy{1, 1, 100, 1}, alone{1, 1, 0, 1};
  CHECK(split_in_stripes(one_heavy, 2) == alone);
}

TEST_CASE("a model that works in turns, and any on many ranks, is dealt in stripes") {
  const auto partition_of = [](bool is_pipelined, int ranks, Partitioner partitioner) {
    Model model = ring_of_servers(64, SimTime{500});
    model.add(std::make_shared<const LoadHint>(LoadHint{is_pipelined}));
    return make_partition(model, ranks, partitioner).rank_of_atom;
  };
  const auto stripes = [&](int ranks) { return partition_of(false, ranks, Partitioner::stripes); };
  CHECK(partition_of(true, 2, Partitioner::automatic) == stripes(2));
  CHECK(partition_of(false, 2, Partitioner::automatic) != stripes(2));
  CHECK(partition_of(false, 32, Partitioner::automatic) == stripes(32));
  CHECK(partition_of(true, 2, Partitioner::blocks) != stripes(2));
}

// Two rings of 32 servers, short cables inside, a long one between them: stripes would cut the short ones.
TEST_CASE("a model that works in turns stays together where stripes would shorten its windows") {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  for (std::uint32_t c = 0; c < 64; ++c) test.add(token_kind(), spec);
  for (std::uint32_t c = 0; c < 64; ++c)
    test.connect(ComponentId{c}, ComponentId{c % 32 == 31 ? c - 31 : c + 1}, SimTime{100});
  test.connect(ComponentId{0}, ComponentId{32}, SimTime{500});
  Model model = test.build();
  model.add(std::make_shared<const LoadHint>(LoadHint{true}));
  CHECK(make_partition(model, 2, Partitioner::automatic).lookahead == SimTime{500});
  CHECK(make_partition(model, 2, Partitioner::stripes).lookahead == SimTime{100});
}

namespace {

/// A ring of pods with long cables between them and short ones inside; the first pods have more servers.
Model ring_of_pods(std::uint32_t pods, std::uint32_t servers, std::uint32_t large_pods,
                   const LoadHint& hint = {true}) {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  std::vector<ComponentId> first;
  for (std::uint32_t p = 0; p < pods; ++p)
    for (std::uint32_t s = 0; s < (p < large_pods ? 3 * servers : servers); ++s) {
      const ComponentId server = test.add(token_kind(), spec);
      if (s == 0) first.push_back(server);
      if (s > 0) test.connect(ComponentId{server.value - 1}, server, SimTime{100});
    }
  for (std::uint32_t p = 0; p < pods; ++p) test.connect(first[p], first[(p + 1) % pods], SimTime{500});
  Model model = test.build();
  model.add(std::make_shared<const LoadHint>(hint));
  return model;
}

}  // namespace

TEST_CASE("a model that works in turns is dealt in pods where single servers would shorten its windows") {
  const std::uint32_t pods = 16, servers = 6;
  for (int ranks : {2, 4}) {
    const Partition partition = make_partition(ring_of_pods(pods, servers, 0), ranks, Partitioner::automatic);
    CHECK(partition.lookahead == SimTime{500});
    const auto r = static_cast<std::uint32_t>(ranks);
    for (std::uint32_t run = 0; run < pods; run += r) {
      std::vector<std::int32_t> rank_of;
      for (std::uint32_t p = run; p < run + r; ++p) {
        const auto pod = partition.rank_of_atom.begin() + p * servers;
        CHECK(std::count(pod, pod + servers, *pod) == servers);
        rank_of.push_back(*pod);
      }
      std::sort(rank_of.begin(), rank_of.end());
      for (std::uint32_t rank = 0; rank < r; ++rank) CHECK(rank_of[rank] == static_cast<std::int32_t>(rank));
    }
  }
}

TEST_CASE("pods are dealt on demand, where an all-to-all would have servers dealt") {
  const Model model = ring_of_pods(16, 6, 0, {true, 4});
  const Partition wanted = make_partition(model, 2, Partitioner::pods);
  CHECK(wanted.lookahead == SimTime{500});
  CHECK(wanted.rank_of_atom ==
        make_partition(ring_of_pods(16, 6, 0), 2, Partitioner::automatic).rank_of_atom);
  CHECK(make_partition(model, 2, Partitioner::automatic).lookahead == SimTime{100});
}

TEST_CASE("pods are dealt where links between them stand for whole paths, on many ranks, too") {
  const auto lookahead = [](const LoadHint& hint, int ranks) {
    return make_partition(ring_of_pods(64, 6, 0, hint), ranks, Partitioner::automatic).lookahead;
  };
  CHECK(lookahead({true, 4, true}, 2) == SimTime{500});
  CHECK(lookahead({false, 1, true}, 32) == SimTime{500});
  CHECK(lookahead({false, 1, false}, 32) == SimTime{100});
  CHECK(lookahead({false, 1, true}, 48) == SimTime{100});  // 64 pods give 48 ranks no even shares
}

TEST_CASE("pods that would not fill the ranks evenly are not dealt") {
  const Model model = ring_of_pods(8, 6, 1);  // one of 18 servers, seven of 6: in turn 36 and 24
  const Partition partition = make_partition(model, 2, Partitioner::automatic);
  const std::vector<int> atoms = atoms_by_rank(partition);
  CHECK(std::abs(atoms[0] - atoms[1]) < 12);
  CHECK(partition.rank_of_atom == make_partition(model, 2, Partitioner::metis).rank_of_atom);
  CHECK(make_partition(model, 2, Partitioner::pods).rank_of_atom ==
        make_partition(model, 2, Partitioner::stripes).rank_of_atom);
}

TEST_CASE("servers are dealt where an all-to-all sets four of them and more to work at once") {
  const auto rank_of_atom = [](const LoadHint& hint, Partitioner partitioner) {
    return make_partition(ring_of_pods(8, 6, 1, hint), 2, partitioner).rank_of_atom;
  };
  const auto stripes = rank_of_atom({true}, Partitioner::stripes);
  CHECK(rank_of_atom({true, 4}, Partitioner::automatic) == stripes);
  CHECK(rank_of_atom({true, 3}, Partitioner::automatic) != stripes);
  CHECK(rank_of_atom({false, 4}, Partitioner::automatic) != stripes);
}

TEST_CASE("METIS finds the two halves that blocks cannot see") {
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

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/random.hpp"
#include "engine/sync/simulation.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/test_model.hpp"
#include "tests/support/token.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

Outcome run(const RandomCase& c, const Partition& partition, MPI_Comm comm, RunOptions options) {
  MemoryRecorder recorder(c.interval);
  Simulation simulation(c.model, partition, comm, recorder);
  options.stop_at = c.stop_at;
  options.catch_signals = false;
  const RunResult result = simulation.run(options);
  return {result.hash, recorder.digest(comm), result.events, result.end};
}

/// Every atom anywhere: what no sensible partitioner would do.
Partition scattered(const Model& model, std::uint64_t seed) {
  Partition partition = make_partition(model, ranks(), Partitioner::blocks);
  Random random(seed, ComponentId{0}, 5);
  for (auto& owner : partition.rank_of_atom)
    owner = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(ranks())));
  partition.lookahead = time_never;
  for (const LinkRecord& link : model.links)
    if (partition.rank_of(model.components[link.from.value]) !=
        partition.rank_of(model.components[link.to.value]))
      partition.lookahead = std::min(partition.lookahead, model.link_classes[link.link_class].latency);
  return partition;
}

}  // namespace

TEST_CASE(
    "any number of ranks, partition, tiles, window and block gives the result of the reference engine") {
  // A window takes milliseconds when ranks outnumber cores and cores are busy: fewer events there.
  const std::uint64_t cases = ranks() <= 2 ? 150 : ranks() <= 4 ? 40 : 6;
  for (std::uint64_t number = 1000; number < 1000 + cases; ++number) {
    const RandomCase c = random_case(number, ranks() <= 2 ? 800 : 150);
    INFO(c.text);
    RunOptions reference;
    reference.engine = Engine::reference;
    const Outcome expected =
        run(c, make_partition(c.model, 1, Partitioner::blocks), MPI_COMM_SELF, reference);
    REQUIRE(is_same_everywhere(expected.hash));
    REQUIRE(run(c, make_partition(c.model, ranks(), Partitioner::automatic), MPI_COMM_WORLD, {}) == expected);
    const PartitionPlan stripes{.partitioner = Partitioner::stripes, .tile_bytes = 1200};
    REQUIRE(run(c, make_partition(c.model, ranks(), stripes), MPI_COMM_WORLD, {}) == expected);
    RunOptions odd;
    Partition anywhere = scattered(c.model, number);
    anywhere.tile_bytes = number % 2 == 0 ? 2000 : 0;
    odd.window = SimTime{1 + static_cast<std::int64_t>(number % 5) * 61};
    if (number % 3 > 0 && anywhere.lookahead != time_never)
      odd.window = std::max(SimTime{1}, anywhere.lookahead / (number % 3 == 1 ? 2 : 7));
    odd.block = 1u << number % 4;
    REQUIRE(run(c, anywhere, MPI_COMM_WORLD, odd) == expected);
  }
}

// Twelve hops of 10 ps end at 120 ps. The last component has the token after 110 ps; its timer comes in an
// hour, or in the window that is the run's last.
TEST_CASE("a timer that nothing waits for prolongs no run on any number of ranks") {
  for (const SimTime timer : {SimTime{121}, SimTime{std::chrono::hours(1)}})
    for (const SimTime stop_at : {time_never, SimTime{std::chrono::minutes(1)}}) {
      TestModel test;
      for (std::uint32_t c = 0; c < 12; ++c) {
        auto spec = std::make_shared<TokenSpec>();
        spec->hops = c == 0 ? 12 : 0;
        spec->expects = c == 11;
        spec->gives_up_at = c == 11 ? timer : SimTime{0};
        test.add(token_kind(), spec);
      }
      for (std::uint32_t c = 0; c < 12; ++c)
        test.connect(ComponentId{c}, ComponentId{(c + 1) % 12}, SimTime{10});
      const Model model = test.build();
      MemoryRecorder recorder;
      Simulation simulation(model, make_partition(model, ranks(), Partitioner::blocks), MPI_COMM_WORLD,
                            recorder);
      RunOptions options;
      options.stop_at = stop_at;
      const RunResult result = simulation.run(options);
      CHECK(result.status == RunStatus::complete);
      CHECK(result.end == SimTime{120});
    }
}

TEST_CASE("ranks without any component follow the run to its end") {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  spec->hops = 50;
  const ComponentId a = test.add(token_kind(), spec),
                    b = test.add(token_kind(), std::make_shared<TokenSpec>());
  test.connect(a, b, SimTime{10});
  const Model model = test.build();
  MemoryRecorder recorder;
  Simulation simulation(model, make_partition(model, ranks(), Partitioner::automatic), MPI_COMM_WORLD,
                        recorder);
  const RunResult result = simulation.run({});
  CHECK(result.events == 50);
  CHECK(result.end == SimTime{500});
  CHECK(is_same_everywhere(result.hash));
  CHECK(is_same_everywhere(result.windows));
}

TEST_CASE("a deadlock report is the same on every rank and in component order") {
  TestModel test;
  for (int c = 0; c < 12; ++c) {
    auto spec = std::make_shared<TokenSpec>();
    spec->hops = c == 0 ? 3 : 0;
    spec->expects = true;
    test.add(token_kind(), spec);
  }
  for (std::uint32_t c = 0; c < 12; ++c) test.connect(ComponentId{c}, ComponentId{(c + 1) % 12}, SimTime{10});
  const Model model = test.build();
  Partition partition = scattered(model, 3);
  MemoryRecorder recorder;
  Simulation simulation(model, partition, MPI_COMM_WORLD, recorder);
  const RunResult result = simulation.run({});
  CHECK(result.status == RunStatus::deadlock);
  CHECK(result.waits_total == 9);
  REQUIRE(result.waits.size() == 9);
  CHECK(result.waits[0] == "token0: a token");
  CHECK(result.waits[1] == "token4: a token");
  CHECK(result.waits[8] == "token11: a token");
}

TEST_CASE("the reference engine refuses several ranks") {
  if (ranks() == 1) return;
  const Model model;
  MemoryRecorder recorder;
  Simulation simulation(model, make_partition(model, ranks(), Partitioner::blocks), MPI_COMM_WORLD, recorder);
  RunOptions options;
  options.engine = Engine::reference;
  CHECK_THROWS_WITH(simulation.run(options),
                    "engine 'reference' runs on one rank only (" + std::to_string(ranks()) + " given)");
}

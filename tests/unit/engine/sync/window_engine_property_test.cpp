#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>

#include "engine/partition/tiles.hpp"
#include "engine/sync/simulation.hpp"
#include "tests/support/random_model.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

Outcome run(const RandomCase& c, RunOptions options, std::int64_t tile_bytes = 0) {
  MemoryRecorder recorder(c.interval);
  const Partition partition =
      make_partition(c.model, 1, {.partitioner = Partitioner::blocks, .tile_bytes = tile_bytes});
  Simulation simulation(c.model, partition, MPI_COMM_WORLD, recorder);
  options.stop_at = c.stop_at;
  options.catch_signals = false;
  const RunResult result = simulation.run(options);
  return {result.hash, recorder.digest(MPI_COMM_WORLD), result.events, result.end};
}

}  // namespace

SimTime smallest_latency(const Model& model) {
  SimTime least = microseconds(1);
  for (const LinkRecord& link : model.links)
    least = std::min(least, model.link_classes[link.link_class].latency);
  return least;
}

constexpr std::int64_t tiles_of_two = 1200;  // bytes of about two components

// Two engines agree when every component handles the same events in the same order: the hash of each
// component folds them in that order, and what restless components draw and record depends on it as well.
TEST_CASE("the window engine handles the very events of the reference engine in the same order") {
  std::int64_t events = 0, tiled = 0;
  for (std::uint64_t number = 0; number < 3000; ++number) {
    const RandomCase c = random_case(number, number % 10 == 0 ? 6000 : 1000);
    INFO(c.text);
    RunOptions reference;
    reference.engine = Engine::reference;
    const Outcome expected = run(c, reference);
    events += expected.events;
    const PartitionPlan plan{.partitioner = Partitioner::blocks, .tile_bytes = tiles_of_two};
    if (make_tiles(c.model, make_partition(c.model, 1, plan), 0).members.size() > 1) ++tiled;
    REQUIRE(run(c, {}, tiles_of_two) == expected);
    RunOptions odd;
    constexpr std::int64_t parts[] = {1, 2, 7};
    odd.window = number % 4 == 0 ? SimTime{1 + static_cast<std::int64_t>(number % 7) * 37}
                                 : std::max(SimTime{1}, smallest_latency(c.model) / parts[number % 3]);
    odd.block = number % 5 < 2 ? 1 : number % 5 < 4 ? 4 : 65536;
    REQUIRE(run(c, odd, number % 2 == 0 ? 1 + static_cast<std::int64_t>(number % 5) * 1000 : 0) == expected);
  }
  CHECK(events > 500'000);  // the cases do something
  CHECK(tiled > 300);
}

#include <catch2/catch.hpp>

#include "engine/sync/simulation.hpp"
#include "tests/support/random_model.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

Outcome run(const RandomCase& c, RunOptions options) {
  MemoryRecorder recorder(c.interval);
  Simulation simulation(c.model, make_partition(c.model, 1, Partitioner::blocks), MPI_COMM_WORLD, recorder);
  options.stop_at = c.stop_at;
  options.catch_signals = false;
  const RunResult result = simulation.run(options);
  return {result.hash, recorder.digest(MPI_COMM_WORLD), result.events, result.end};
}

}  // namespace

// Two engines agree when every component handles the same events in the same order: the hash of each
// component folds them in that order, and what restless components draw and record depends on it as well.
TEST_CASE("the window engine handles the very events of the reference engine in the same order") {
  std::int64_t events = 0;
  for (std::uint64_t number = 0; number < 600; ++number) {
    const RandomCase c = random_case(number);
    INFO(c.text);
    RunOptions reference;
    reference.engine = Engine::reference;
    const Outcome expected = run(c, reference);
    events += expected.events;
    REQUIRE(run(c, {}) == expected);
    RunOptions odd;
    odd.window = SimTime{1 + static_cast<std::int64_t>(number % 7) * 37};
    odd.block = number % 3 == 0 ? 1 : number % 3 == 1 ? 4 : 65536;
    REQUIRE(run(c, odd) == expected);
  }
  CHECK(events > 200'000);  // the cases do something
}

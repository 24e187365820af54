#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/sync/simulation.hpp"
#include "tests/support/memory_recorder.hpp"
#include "tests/support/test_model.hpp"
#include "tests/support/token.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// A ring of `size` in which everyone expects a token and a token of `hops` starts at component 0.
RunResult run(std::uint32_t size, std::uint32_t hops, Engine engine, SimTime stop_at = time_never) {
  TestModel test;
  for (std::uint32_t c = 0; c < size; ++c) {
    auto spec = std::make_shared<TokenSpec>();
    spec->hops = c == 0 ? hops : 0;
    spec->expects = true;
    test.add(token_kind(), spec);
  }
  for (std::uint32_t c = 0; c < size; ++c)
    test.connect(ComponentId{c}, ComponentId{(c + 1) % size}, SimTime{10});
  const Model model = test.build();
  MemoryRecorder recorder;
  Simulation simulation(model, make_partition(model, 1, Partitioner::blocks), MPI_COMM_WORLD, recorder);
  RunOptions options;
  options.engine = engine;
  options.stop_at = stop_at;
  return simulation.run(options);
}

}  // namespace

TEST_CASE("when no event is left, those who wait are reported in component order") {
  for (Engine engine : {Engine::reference, Engine::window}) {
    const RunResult result = run(5, 2, engine);
    CHECK(result.status == RunStatus::deadlock);
    CHECK(result.waits == std::vector<std::string>{"token0: a token", "token3: a token", "token4: a token"});
    CHECK(result.waits_total == 3);
    CHECK(result.end == SimTime{20});
  }
}

TEST_CASE("a run in which no one waits is complete") {
  const RunResult result = run(5, 5, Engine::window);
  CHECK(result.status == RunStatus::complete);
  CHECK(result.waits.empty());
}

TEST_CASE("events left at stop-at are no deadlock, but none left before it is") {
  CHECK(run(5, 5, Engine::window, SimTime{30}).status == RunStatus::complete);
  CHECK(run(5, 2, Engine::window, SimTime{30}).status == RunStatus::deadlock);
}

TEST_CASE("a report lists 20 waits and counts all") {
  const RunResult result = run(100, 0, Engine::window);
  CHECK(result.waits.size() == 20);
  CHECK(result.waits.back() == "token19: a token");
  CHECK(result.waits_total == 100);
}

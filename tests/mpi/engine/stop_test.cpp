#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "engine/sync/simulation.hpp"
#include "tests/support/memory_recorder.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/restless.hpp"
#include "tests/support/test_model.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Runs practically for ever.
Model endless() {
  TestModel test;
  for (std::uint32_t c = 0; c < 8; ++c) {
    auto spec = std::make_shared<RestlessSpec>();
    spec->first_budget = c == 0 ? 2'000'000'000 : 0;
    spec->works_for_s = 1e-5;
    test.add(restless_kind(), spec);
  }
  for (std::uint32_t c = 0; c < 8; ++c) test.connect(ComponentId{c}, ComponentId{(c + 1) % 8}, SimTime{500});
  return test.build();
}

void check_stopped(const RunResult& result, const char* reason) {
  CHECK(result.status == RunStatus::stopped);
  CHECK(result.stop_reason == reason);
  CHECK(is_same_everywhere(result.windows));
  CHECK(is_same_everywhere(result.end));
  CHECK(is_same_everywhere(result.hash));
}

}  // namespace

TEST_CASE("a signal to one rank stops all ranks at the same window") {
  const Model model = endless();
  for (int signal : {SIGTERM, SIGINT, SIGUSR1}) {
    MemoryRecorder recorder;
    Simulation simulation(model, make_partition(model, ranks(), Partitioner::blocks), MPI_COMM_WORLD,
                          recorder);
    std::thread sender;
    if (rank() == ranks() - 1)
      sender = std::thread([signal] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        kill(getpid(), signal);
      });
    const RunResult result = simulation.run({});
    if (sender.joinable()) sender.join();
    check_stopped(result, signal == SIGTERM ? "SIGTERM" : signal == SIGINT ? "SIGINT" : "SIGUSR1");
    CHECK(recorder.flushes == std::vector<SimTime>{result.end});
  }
}

TEST_CASE("exit-after stops all ranks at the same window") {
  const Model model = endless();
  MemoryRecorder recorder;
  Simulation simulation(model, make_partition(model, ranks(), Partitioner::blocks), MPI_COMM_WORLD, recorder);
  RunOptions options;
  options.exit_after_s = 0.1;
  check_stopped(simulation.run(options), "exit-after");
}

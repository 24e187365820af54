#include <mpi.h>

#include <catch2/catch.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sync/simulation.hpp"
#include "tests/model/network/clos_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

struct NoRecorder final : Recorder {
  void append(TableId, ComponentId, SimTime, std::span<const std::int64_t>) override {}
  SimTime interval() const override { return time_never; }
  void flush(SimTime) override {}
};

/// MPI for the life of this program.
struct Mpi {
  Mpi() { MPI_Init(nullptr, nullptr); }
  ~Mpi() { MPI_Finalize(); }
};

RunResult simulate(const Model& model, Engine engine, SimTime window, std::uint32_t block) {
  static Mpi mpi;
  NoRecorder recorder;
  Simulation simulation(model, make_partition(model, 1, Partitioner::blocks), MPI_COMM_SELF, recorder);
  RunOptions options;
  options.engine = engine;
  options.window = window;
  options.block = block;
  options.catch_signals = false;
  return simulation.run(options);
}

}  // namespace

TEST_CASE("the test bed, the reference engine and the window engine see the same events") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ClosShape shape = random_shape(seed);
    CAPTURE(seed, shape.routing->name);
    std::vector<RunResult> results;
    std::int64_t events = 0;
    SimTime end{};
    auto run_with = [&](Engine engine, SimTime window, std::uint32_t block) {
      ClosBed net(shape);
      fill_randomly(net, seed, 60);
      results.push_back(simulate(net.bed.finish_model(), engine, window, block));
      REQUIRE(net.arrived() == net.posted);
    };
    {
      ClosBed net(shape);
      fill_randomly(net, seed, 60);
      net.bed.run();
      events = net.bed.events();
      end = net.bed.end();
    }
    run_with(Engine::reference, SimTime{0}, 1024);
    run_with(Engine::window, SimTime{0}, 1024);
    run_with(Engine::window, nanoseconds(30), 1);
    run_with(Engine::window, SimTime{7'001}, 3);
    for (const RunResult& r : results) {
      REQUIRE(r.status == RunStatus::complete);
      CHECK(r.hash == results[0].hash);
      CHECK(r.events == events);
      CHECK(r.end == end);
    }
  }
}

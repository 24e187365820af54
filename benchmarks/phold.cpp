// PHOLD with the parameters of ROSS: window engine against reference engine in the same run. Rates are per
// second of processor time of all ranks, so that other programs on the machine matter little.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "engine/sync/simulation.hpp"
#include "tests/support/memory_recorder.hpp"
#include "tests/support/phold.hpp"

using namespace lightrail;

namespace {

double core_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Rate {
  double events_per_s = 0;
  std::uint64_t hash = 0;
};

Rate measure(const Model& model, Engine engine, SimTime stop_at) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  test::MemoryRecorder recorder;
  Simulation simulation(model, make_partition(model, ranks, Partitioner::automatic), MPI_COMM_WORLD,
                        recorder);
  RunOptions options;
  options.engine = engine;
  options.stop_at = stop_at;
  const double before = core_seconds();
  const RunResult result = simulation.run(options);
  double seconds = core_seconds() - before;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return {static_cast<double>(result.events) / seconds, result.hash};
}

/// `count` components with one event each, about `events` events in all; prints one result a engine.
bool compare(const char* name, std::uint32_t count, std::int64_t events) {
  const Model model = test::make_phold(count, 4, 16, 1);
  // An event moves on by 0.1 + 1.0 us on average.
  const SimTime stop_at = nanoseconds(1100 * events / count);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Rate window = measure(model, Engine::window, stop_at);
  if (rank == 0) fmt::print("result phold_{}_window {:.3g} events/core-s\n", name, window.events_per_s);
  if (ranks > 1) return true;
  const Rate reference = measure(model, Engine::reference, stop_at);
  fmt::print("result phold_{}_reference {:.3g} events/core-s\n", name, reference.events_per_s);
  fmt::print("result phold_{}_ratio {:.2f} 1\n", name, window.events_per_s / reference.events_per_s);
  if (window.hash != reference.hash) fmt::print(stderr, "phold_{}: the engines disagree\n", name);
  return window.hash == reference.hash;
}

}  // namespace

/// usage: phold [1k|64k|1m]...   default: 1k 64k
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool is_same = true;
  const auto wants = [&](const std::string& name) {
    for (int i = 1; i < argc; ++i)
      if (name == argv[i]) return true;
    return argc == 1 && name != "1m";
  };
  if (wants("1k")) is_same &= compare("1k", 1 << 10, 10'000'000);
  if (wants("64k")) is_same &= compare("64k", 1 << 16, 10'000'000);
  if (wants("1m")) is_same &= compare("1m", 1 << 20, 10'000'000);
  MPI_Finalize();
  return is_same ? EXIT_SUCCESS : EXIT_FAILURE;
}

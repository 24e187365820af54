#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/sync/checkpoints.hpp"
#include "engine/sync/simulation.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/refusing_recorder.hpp"
#include "tests/support/restless.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_model.hpp"
#include "tests/support/token.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

Outcome run(const RandomCase& c, MPI_Comm comm, RunOptions options) {
  int on = 1;
  MPI_Comm_size(comm, &on);
  MemoryRecorder recorder(c.interval);
  const std::int64_t tile_bytes =
      comm == MPI_COMM_SELF ? 0 : 1200;  // one tile, or tiles of about two components
  const Partition partition = make_partition(c.model, on, PartitionPlan{.tile_bytes = tile_bytes});
  Simulation simulation(c.model, partition, comm, recorder);
  options.stop_at = c.stop_at;
  options.catch_signals = false;
  const RunResult result = simulation.run(options);
  return {result.hash, recorder.digest(comm), result.events, result.end};
}

RunOptions saving(const std::string& folder, SimTime every) {
  RunOptions options;
  options.checkpoint = {folder, every, 0, {"test", 1}};
  return options;
}

/// Rank 0's folder, on every rank.
std::string shared(const TemporaryFolder& folder) {
  std::array<char, 256> name{};
  folder.path().copy(name.data(), name.size() - 1);
  return from_all_ranks(name).front().data();
}

void wait_for_all() {
  from_all_ranks(0);
}

/// Eight in a ring of links of 100 ps: the token is at component n at 100 n ps.
Model token_ring(std::uint32_t hops) {
  TestModel test;
  for (std::uint32_t c = 0; c < 8; ++c) {
    auto spec = std::make_shared<TokenSpec>();
    spec->hops = c == 0 ? hops : 0;
    test.add(token_kind(), spec);
  }
  for (std::uint32_t c = 0; c < 8; ++c) test.connect(ComponentId{c}, ComponentId{(c + 1) % 8}, SimTime{100});
  return test.build();
}

/// Of a run that saves every 1,000 ps, and whether it left the first checkpoint.
std::pair<std::string, bool> failed_run(const Model& model, Recorder& recorder, MPI_Comm comm,
                                        Engine engine) {
  int on = 1;
  MPI_Comm_size(comm, &on);
  const TemporaryFolder mine;
  const std::string folder = comm == MPI_COMM_SELF ? mine.path() : shared(mine);
  RunOptions options = saving(folder, SimTime{1000});
  options.engine = engine;
  std::string text;
  try {
    Simulation(model, make_partition(model, on, Partitioner::blocks), comm, recorder).run(options);
  } catch (const std::exception& e) {
    text = e.what();
  }
  const bool is_left = !read_file(checkpoint_path(folder, 1)).empty();
  wait_for_all();
  return {text, is_left};
}

}  // namespace

TEST_CASE("checkpoints have the same bytes on any number of ranks, and any number goes on from them") {
  int resumed = 0;
  for (std::uint64_t number = 2000; number < (ranks() <= 2 ? 2030u : 2010u); ++number) {
    const RandomCase c = random_case(number, ranks() <= 2 ? 800 : 150);
    INFO(c.text);
    const Outcome expected = run(c, MPI_COMM_SELF, {});
    const SimTime every{expected.end.count() / 3 + 1};
    const TemporaryFolder alone, mine;
    const std::string together = shared(mine);
    REQUIRE(run(c, MPI_COMM_SELF, saving(alone.path(), every)) == expected);
    REQUIRE(run(c, MPI_COMM_WORLD, saving(together, every)) == expected);
    for (std::int64_t n = 1; n <= 4; ++n) {
      const std::string path = checkpoint_path(together, n);
      const std::string bytes = read_file(path);
      REQUIRE(bytes == read_file(checkpoint_path(alone.path(), n)));
      if (bytes.empty()) continue;
      ++resumed;
      const CheckpointFile file(path);
      RunOptions options;
      options.resume = &file;
      REQUIRE(run(c, MPI_COMM_WORLD, options) == expected);
      REQUIRE(run(c, MPI_COMM_SELF, options) == expected);
    }
    wait_for_all();
  }
  CHECK(resumed > 5);
}

TEST_CASE("a checkpoint that rank 0 cannot write ends all ranks") {
  const RandomCase c = random_case(2001, 200);
  std::string text;
  try {
    run(c, MPI_COMM_WORLD, saving("no/such/folder", SimTime{1}));
  } catch (const IoError& e) {
    text = e.what();
  }
  CHECK_THAT(text, Catch::Contains("no/such/folder"));
}

// The last window before the checkpoint has the refused row: it is handed over in the turn that saves.
TEST_CASE("rows that are refused just before a checkpoint leave no checkpoint, on any number of ranks") {
  const Model model = token_ring(30);
  RefusingRecorder recorder(SimTime{900});
  const std::pair<std::string, bool> expected = {"no such row (token1 at 900 ps)", false};
  CHECK(failed_run(model, recorder, MPI_COMM_SELF, Engine::reference) == expected);
  CHECK(failed_run(model, recorder, MPI_COMM_SELF, Engine::window) == expected);
  CHECK(failed_run(model, recorder, MPI_COMM_WORLD, Engine::window) == expected);
}

TEST_CASE("a component that cannot be saved ends all ranks and leaves no checkpoint") {
  TestModel test;
  for (std::uint32_t c = 0; c < 8; ++c) {
    auto spec = std::make_shared<RestlessSpec>();
    spec->first_budget = 300;
    spec->throws_in_save = c == 7 || c == 4;
    test.add(restless_kind(), spec);
  }
  for (std::uint32_t c = 0; c < 8; ++c) test.connect(ComponentId{c}, ComponentId{(c + 1) % 8}, SimTime{100});
  const Model model = test.build();
  MemoryRecorder recorder;
  const auto expected = failed_run(model, recorder, MPI_COMM_SELF, Engine::reference);
  CHECK_THAT(expected.first, Catch::Contains("cannot be saved (restless4 at "));
  CHECK_FALSE(expected.second);
  CHECK(failed_run(model, recorder, MPI_COMM_SELF, Engine::window) == expected);
  CHECK(failed_run(model, recorder, MPI_COMM_WORLD, Engine::window) == expected);
}

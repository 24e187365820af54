#include <catch2/catch.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/sync/checkpoints.hpp"
#include "engine/sync/simulation.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_model.hpp"
#include "tests/support/token.hpp"

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

RunOptions saving(Engine engine, const std::string& folder, SimTime every) {
  RunOptions options;
  options.engine = engine;
  options.checkpoint = {folder, every, 0, {"test", 1}};
  return options;
}

std::string text_of_failure(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a run that goes on from any checkpoint of either engine ends as one that was never interrupted") {
  int resumed = 0;
  for (std::uint64_t number = 0; number < 150; ++number) {
    const RandomCase c = random_case(number, 1500);
    INFO(c.text);
    const Outcome expected = run(c, {});
    const SimTime every{expected.end.count() / 3 + 1};
    const TemporaryFolder window, reference;
    REQUIRE(run(c, saving(Engine::window, window.path(), every)) == expected);
    REQUIRE(run(c, saving(Engine::reference, reference.path(), every)) == expected);
    for (std::int64_t n = 1; n <= 4; ++n) {
      const std::string path = checkpoint_path(window.path(), n);
      const std::string bytes = read_file(path);
      REQUIRE(read_file(checkpoint_path(reference.path(), n)) == bytes);
      if (bytes.empty()) continue;
      ++resumed;
      const CheckpointFile file(path);
      for (Engine engine : {Engine::window, Engine::reference}) {
        RunOptions options;
        options.engine = engine;
        options.resume = &file;
        options.window = SimTime{static_cast<std::int64_t>(number % 3) * 100};
        REQUIRE(run(c, options) == expected);
      }
    }
  }
  CHECK(resumed > 150);  // the cases do something
}

TEST_CASE("a resumed run goes on with the numbers of its folder, and two checkpoints are kept") {
  const RandomCase c = random_case(3);
  const Outcome expected = run(c, {});
  const SimTime every{expected.end.count() / 12};
  REQUIRE(every > SimTime{0});
  const TemporaryFolder whole, parts;
  run(c, saving(Engine::window, whole.path(), every));
  const std::string newest = find_checkpoint(whole.path());
  const std::int64_t number = checkpoint_number(newest);
  REQUIRE(number >= 4);
  CHECK(std::filesystem::exists(checkpoint_path(whole.path(), number - 1)));
  CHECK_FALSE(std::filesystem::exists(checkpoint_path(whole.path(), number - 2)));

  // From the second last of a folder the run comes to the last one again, byte by byte.
  const std::string last = read_file(newest);
  const CheckpointFile file(checkpoint_path(whole.path(), number - 1));
  RunOptions options = saving(Engine::window, whole.path(), every);
  options.resume = &file;
  CHECK(run(c, options) == expected);
  CHECK(find_checkpoint(whole.path()) == newest);
  CHECK(read_file(newest) == last);
}

TEST_CASE("a new run clears away what another run left in its checkpoint folder") {
  const RandomCase c = random_case(7);
  const SimTime every{run(c, {}).end.count() / 2};
  const TemporaryFolder folder;
  for (const char* old : {"checkpoint-000090.lr", "checkpoint-000091.lr", "rows-ops.lr", "notes.txt"})
    write_file(folder / old, "old");
  run(c, saving(Engine::window, folder.path(), every));
  CHECK(checkpoint_number(find_checkpoint(folder.path())) < 90);
  CHECK_FALSE(std::filesystem::exists(folder / "rows-ops.lr"));
  CHECK(read_file(folder / "notes.txt") == "old");  // not ours
}

TEST_CASE("a component that reads less or more than it saved is named") {
  struct Spec0 : Spec {};
  struct Odd final : Component {
    explicit Odd(int more) : more_(more) {}
    void start(Context& context) override {
      for (int i = 1; i < 9; ++i) context.wake(SimTime{i * 10}, {});
    }
    void handle(const Event&, PortIndex, Context&) override {}
    void save(StateWriter& out) const override { out.put(std::uint32_t{1}); }
    void load(StateReader& in) override {
      std::uint16_t half = 0;
      for (int i = 0; i < 2 + more_; ++i) in.get(half);
    }
    int more_;
  };
  for (int more : {-1, 1}) {
    auto kind = std::make_shared<ComponentKind>();
    kind->name = "odd";
    kind->make = [more](const BuildContext&) { return std::make_unique<Odd>(more); };
    RandomCase c;
    TestModel test;
    test.add(kind, std::make_shared<Spec0>());
    c.model = test.build();
    const TemporaryFolder folder;
    run(c, saving(Engine::window, folder.path(), SimTime{30}));
    const CheckpointFile file(find_checkpoint(folder.path()));
    RunOptions options;
    options.resume = &file;
    CHECK_THAT(text_of_failure([&] { run(c, options); }),
               Catch::Contains(c.model.component_name(ComponentId{0})) &&
                   Catch::Contains(more < 0 ? "load() left state unread" : "state ends early"));
  }
}

TEST_CASE("a checkpoint folder that cannot be made ends the run with an I/O error") {
  const RandomCase c = random_case(7);
  const TemporaryFolder folder;
  write_file(folder / "taken", "");
  CHECK_THROWS_AS(run(c, saving(Engine::window, folder / "taken", SimTime{1})), IoError);
  CHECK_THAT(text_of_failure([&] { run(c, saving(Engine::window, folder / "no/such", SimTime{1})); }),
             Catch::Contains("cannot create checkpoint folder") && Catch::Contains("no/such"));
}

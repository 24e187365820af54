#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/sync/simulation.hpp"
#include "tests/support/memory_recorder.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/refusing_recorder.hpp"
#include "tests/support/restless.hpp"
#include "tests/support/test_model.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

using Throwing = std::vector<std::pair<std::uint32_t, std::int64_t>>;  // who fails, and when

/// Busy components, not joined yet.
TestModel busy(std::uint32_t count, std::uint32_t budget, const Throwing& throwing) {
  TestModel test;
  for (std::uint32_t c = 0; c < count; ++c) {
    auto spec = std::make_shared<RestlessSpec>();
    spec->first_budget = budget;
    spec->max_delay = SimTime{2000};
    for (const auto& [who, time] : throwing)
      if (who == c) spec->throws_at = time;
    test.add(restless_kind(), spec);
  }
  return test;
}

/// Joins [first, first + count) in a ring of links of 500 ps.
void join(TestModel& test, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t c = 0; c < count; ++c)
    test.connect(ComponentId{first + c}, ComponentId{first + (c + 1) % count}, SimTime{500});
}

Model ring(const Throwing& throwing) {
  TestModel test = busy(12, 500, throwing);
  join(test, 0, 12);
  return test.build();
}

/// A ring of which some throw in finish().
Model ring_without_end(const std::vector<std::uint32_t>& who, bool breaks_contract) {
  TestModel test;
  for (std::uint32_t c = 0; c < 12; ++c) {
    auto spec = std::make_shared<RestlessSpec>();
    spec->first_budget = 500;
    spec->throws_in_finish = std::find(who.begin(), who.end(), c) != who.end();
    spec->breaks_contract = breaks_contract;
    test.add(restless_kind(), spec);
  }
  join(test, 0, 12);
  return test.build();
}

/// A ring of which all wait at the end, and some cannot say for what.
Model ring_of_waiting(const std::vector<std::uint32_t>& who) {
  TestModel test;
  for (std::uint32_t c = 0; c < 12; ++c) {
    auto spec = std::make_shared<RestlessSpec>();
    spec->first_budget = 500;
    spec->waits = "nothing that comes";
    spec->throws_in_waits = std::find(who.begin(), who.end(), c) != who.end();
    test.add(restless_kind(), spec);
  }
  join(test, 0, 12);
  return test.build();
}

/// Rings of four, four and eight components; nothing joins the rings.
Model groups(const Throwing& throwing) {
  TestModel test = busy(16, 2000, throwing);
  join(test, 0, 4), join(test, 4, 4), join(test, 8, 8);
  return test.build();
}

std::string error_of(const Model& model, Recorder& recorder, int on_ranks, MPI_Comm comm, Engine engine,
                     const PartitionPlan& plan = {}) {
  try {
    Simulation simulation(model, make_partition(model, on_ranks, plan), comm, recorder);
    RunOptions options;
    options.engine = engine;
    simulation.run(options);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

/// How many components have left their total.
std::size_t totals(const MemoryRecorder& recorder) {
  return static_cast<std::size_t>(std::count_if(recorder.rows.begin(), recorder.rows.end(),
                                                [](const auto& row) { return row.table == 3; }));
}

/// Of the rows that a failed run leaves.
std::uint64_t rows_after_failure(const Model& model, int on_ranks, MPI_Comm comm, Engine engine,
                                 const PartitionPlan& plan = {}) {
  MemoryRecorder recorder;
  REQUIRE_FALSE(error_of(model, recorder, on_ranks, comm, engine, plan).empty());
  return recorder.digest(comm);
}

bool is_same_text_everywhere(const std::string& text) {
  return is_same_everywhere(std::hash<std::string>{}(text));
}

class FailingRecorder final : public Recorder {
 public:
  explicit FailingRecorder(SimTime at) : at_(at) {}
  SimTime interval() const override { return SimTime{1000}; }
  void append(TableId, ComponentId, SimTime, std::span<const std::int64_t>) override {}
  void flush(SimTime boundary) override {
    if (rank() == ranks() - 1 && boundary >= at_) throw IoError("disk full");
  }

 private:
  SimTime at_;
};

}  // namespace

TEST_CASE("a component's failure on one rank ends all ranks with the same error as the reference engine") {
  const Model one = ring({{7, 3000}}), several = ring({{2, 4000}, {9, 3990}, {11, 3995}, {5, 4000}});
  for (const Model* model : {&one, &several}) {
    MemoryRecorder recorder;
    const std::string expected = error_of(*model, recorder, 1, MPI_COMM_SELF, Engine::reference);
    REQUIRE_FALSE(expected.empty());
    const std::string text = error_of(*model, recorder, ranks(), MPI_COMM_WORLD, Engine::window);
    CHECK(text == expected);
  }
}

TEST_CASE("the first failure counts, though tiles and ranks that are not joined run ahead of each other") {
  const PartitionPlan tiles{.partitioner = Partitioner::blocks, .tile_bytes = 1200};
  const std::vector<Throwing> all = {
      {{6, 3900}, {10, 1200}}, {{6, 1200}, {10, 3900}}, {{6, 9400}, {10, 8600}}, {{6, 8600}, {10, 9400}}};
  for (const auto& throwing : all) {
    const Model model = groups(throwing);
    MemoryRecorder recorder;
    const std::string expected = error_of(model, recorder, 1, MPI_COMM_SELF, Engine::reference);
    REQUIRE_THAT(expected,
                 Catch::Contains(throwing[0].second < throwing[1].second ? "restless6" : "restless10"));
    CHECK(error_of(model, recorder, 1, MPI_COMM_SELF, Engine::window, tiles) == expected);
    CHECK(error_of(model, recorder, ranks(), MPI_COMM_WORLD, Engine::window, tiles) == expected);
  }
}

TEST_CASE("a failed run leaves the rows up to its failure, whatever ran ahead of it") {
  const PartitionPlan plain{.partitioner = Partitioner::blocks},
      tiles{.partitioner = Partitioner::blocks, .tile_bytes = 1200};
  for (const auto& throwing : std::vector<Throwing>{{{6, 1200}}, {{6, 9400}, {10, 8600}}, {{2, 4444}}}) {
    const Model model = groups(throwing);
    const std::uint64_t expected = rows_after_failure(model, 1, MPI_COMM_SELF, Engine::reference);
    CHECK(rows_after_failure(model, 1, MPI_COMM_SELF, Engine::window, plain) == expected);
    CHECK(rows_after_failure(model, 1, MPI_COMM_SELF, Engine::window, tiles) == expected);
    CHECK(rows_after_failure(model, ranks(), MPI_COMM_WORLD, Engine::window, plain) == expected);
    CHECK(rows_after_failure(model, ranks(), MPI_COMM_WORLD, Engine::window, tiles) == expected);
  }
}

// Tiles of a window are held one after the other, so that the first row that is refused need not be the first
// made.
TEST_CASE("of rows that are refused the one made first counts, though tiles run ahead of each other") {
  const PartitionPlan tiles{.partitioner = Partitioner::blocks, .tile_bytes = 1200};
  const Model model = groups({});
  for (std::int64_t at = 300; at < 6000; at += 300) {
    RefusingRecorder recorder(SimTime{at});
    const std::string expected = error_of(model, recorder, 1, MPI_COMM_SELF, Engine::reference);
    CHECK_THAT(expected, Catch::StartsWith("no such row (restless"));
    CHECK(error_of(model, recorder, 1, MPI_COMM_SELF, Engine::window, tiles) == expected);
    CHECK(error_of(model, recorder, ranks(), MPI_COMM_WORLD, Engine::window, tiles) == expected);
  }
}

// The last of 12 components is on the last rank, the first on the first.
TEST_CASE(
    "a failure at the end names the first component, and the others' totals are kept, on any number of "
    "ranks") {
  for (const auto& who : std::vector<std::vector<std::uint32_t>>{{11}, {5, 10, 3}, {0, 11}}) {
    for (bool breaks_contract : {false, true}) {
      const Model model = ring_without_end(who, breaks_contract);
      const std::string first =
          "restless" + std::to_string(*std::min_element(who.begin(), who.end())) + " at ";
      MemoryRecorder alone, mine;
      const std::string expected = error_of(model, alone, 1, MPI_COMM_SELF, Engine::reference);
      CHECK_THAT(expected, Catch::Contains(first) &&
                               Catch::Contains(breaks_contract ? "broken on purpose" : "tired at the end"));
      CHECK(error_of(model, mine, ranks(), MPI_COMM_WORLD, Engine::window) == expected);
      CHECK(mine.digest(MPI_COMM_WORLD) == alone.digest(MPI_COMM_SELF));
      CHECK(totals(alone) == 12 - who.size());
    }
  }
}

TEST_CASE(
    "of those who cannot say what they wait for the first is named on all ranks, and all totals are kept") {
  for (const auto& who : std::vector<std::vector<std::uint32_t>>{{11}, {5, 10, 3}, {0, 11}}) {
    const Model model = ring_of_waiting(who);
    const std::string first = "restless" + std::to_string(*std::min_element(who.begin(), who.end()));
    MemoryRecorder alone, mine;
    const std::string expected = error_of(model, alone, 1, MPI_COMM_SELF, Engine::reference);
    CHECK_THAT(expected, Catch::StartsWith("cannot say what it waits for (" + first + " at "));
    CHECK(error_of(model, mine, ranks(), MPI_COMM_WORLD, Engine::window) == expected);
    CHECK(mine.digest(MPI_COMM_WORLD) == alone.digest(MPI_COMM_SELF));
    CHECK(totals(alone) == 12);
  }
}

TEST_CASE("a recorder's failure on one rank ends all ranks") {
  const Model model = ring({});
  for (SimTime at : {SimTime{1000}, SimTime{5000}}) {
    FailingRecorder recorder(at);
    CHECK(error_of(model, recorder, ranks(), MPI_COMM_WORLD, Engine::window) == "disk full");
  }
}

TEST_CASE("a component that cannot be built on one rank ends all ranks") {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "unbuildable";
  kind->make = [](const BuildContext& build) -> std::unique_ptr<Component> {
    if (build.id.value == 3) throw InputErrors(InputError{"trace.json.gz", 0, "ends early"});
    return restless_kind()->make(build);
  };
  TestModel test;
  auto spec = std::make_shared<RestlessSpec>();
  for (int c = 0; c < 4; ++c) test.add(kind, spec);
  const Model model = test.build();
  MemoryRecorder recorder;
  const std::string text = error_of(model, recorder, ranks(), MPI_COMM_WORLD, Engine::window);
  CHECK(text == "trace.json.gz: ends early");
  CHECK(is_same_text_everywhere(text));
}

TEST_CASE("a partition for another number of ranks is refused on all ranks") {
  const Model model = ring({});
  MemoryRecorder recorder;
  const std::string text = error_of(model, recorder, ranks() + 1, MPI_COMM_WORLD, Engine::window);
  CHECK_THAT(text, Catch::Contains("partition.ranks"));
}

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/sync/simulation.hpp"

#include <catch2/catch.hpp>

#include "tests/support/memory_recorder.hpp"
#include "tests/support/restless.hpp"
#include "tests/support/test_model.hpp"
#include "tests/support/token.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

const Engine both[] = {Engine::reference, Engine::window};

RunResult run(const Model& model, RunOptions options, Recorder& recorder) {
  Simulation simulation(model, make_partition(model, 1, Partitioner::blocks), MPI_COMM_WORLD, recorder);
  return simulation.run(options);
}

/// Counts rows and needs so many.
class Counter final : public Recorder {
 public:
  explicit Counter(int needed) : needed_(needed) {}
  [[nodiscard]] SimTime interval() const override { return time_never; }
  void append(TableId, ComponentId, SimTime, std::span<const std::int64_t>) override { ++rows; }
  void flush(SimTime boundary) override { flushed_to = boundary; }
  [[nodiscard]] bool is_full() const override { return rows >= needed_; }

  int rows = 0;
  SimTime flushed_to{};

 private:
  int needed_;
};

/// A ring of `size` tokens with one that starts a token of `hops`.
Model ring(std::uint32_t size, std::uint32_t hops, SimTime latency) {
  TestModel test;
  for (std::uint32_t c = 0; c < size; ++c) {
    auto spec = std::make_shared<TokenSpec>();
    spec->hops = c == 0 ? hops : 0;
    test.add(token_kind(), spec);
  }
  for (std::uint32_t c = 0; c < size; ++c) test.connect(ComponentId{c}, ComponentId{(c + 1) % size}, latency);
  return test.build();
}

/// A ring of five and 1 ns with a token of `hops` from component 0, which `who` expects until `gives_up`;
/// component 2 does not expect it, but has a timer at `timer`, too, if that is not 0.
Model waiting_ring(std::uint32_t hops, std::uint32_t who, SimTime gives_up, SimTime timer = {}) {
  TestModel test;
  for (std::uint32_t c = 0; c < 5; ++c) {
    auto spec = std::make_shared<TokenSpec>();
    spec->hops = c == 0 ? hops : 0;
    spec->expects = c == who;
    spec->gives_up_at = c == who ? gives_up : c == 2 ? timer : SimTime{0};
    test.add(token_kind(), spec);
  }
  for (std::uint32_t c = 0; c < 5; ++c)
    test.connect(ComponentId{c}, ComponentId{(c + 1) % 5}, nanoseconds(1));
  return test.build();
}

/// Wakes at the start and once more, an hour later.
class Sleeper final : public Component {
 public:
  void start(Context& context) override { context.wake(SimTime{0}, {}); }
  void handle(const Event& event, PortIndex, Context& context) override {
    if (event.time == SimTime{0}) context.wake(std::chrono::hours(1), {});
  }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}
};

std::shared_ptr<const ComponentKind> sleeper_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "sleeper";
  kind->make = [](const BuildContext&) { return std::make_unique<Sleeper>(); };
  return kind;
}

/// Raises the first figure to its own number, the second where it is component 2, and tells what it heard.
class Sharer final : public Component {
 public:
  explicit Sharer(ComponentId id) : id_(id) {}
  void handle(const Event&, PortIndex, Context&) override {}
  void raise_largest(std::vector<std::int64_t>& largest) const override {
    if (largest.size() < 2) largest.resize(2, INT64_MIN);
    largest[0] = std::max<std::int64_t>(largest[0], id_.value);
    if (id_.value == 2) largest[1] = -7;
  }
  void hear_largest(std::span<const std::int64_t> largest) override {
    heard_.assign(largest.begin(), largest.end());
  }
  void finish(Context& context) override { context.record(0, heard_); }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  ComponentId id_;
  std::vector<std::int64_t> heard_;
};

std::shared_ptr<const ComponentKind> sharer_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "sharer";
  kind->make = [](const BuildContext& build) { return std::make_unique<Sharer>(build.id); };
  return kind;
}

}  // namespace

TEST_CASE("components agree on the largest figures before they end") {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  for (int c = 0; c < 4; ++c) test.add(sharer_kind(), spec);
  const Model model = test.build();
  for (Engine engine : both) {
    MemoryRecorder recorder;
    RunOptions options;
    options.engine = engine;
    run(model, options, recorder);
    REQUIRE(recorder.rows.size() == 4);
    for (const auto& row : recorder.rows) CHECK(row.values == std::vector<std::int64_t>{3, -7});
  }
}

// One hop costs one latency: h hops end at h * latency after h events.
TEST_CASE("a token arrives after as many latencies as hops") {
  const Model model = ring(5, 1000, nanoseconds(600));
  for (Engine engine : both) {
    MemoryRecorder recorder;
    RunOptions options;
    options.engine = engine;
    const RunResult result = run(model, options, recorder);
    CHECK(result.status == RunStatus::complete);
    CHECK(result.events == 1000);
    CHECK(result.end == nanoseconds(600'000));
    CHECK(recorder.rows.size() == 1000);
    CHECK(recorder.flushes == std::vector<SimTime>{nanoseconds(600'000)});
    CHECK(result.peak_rss_bytes > 0);
  }
}

TEST_CASE("a model without components or without events ends at once") {
  for (Engine engine : both) {
    MemoryRecorder recorder;
    RunOptions options;
    options.engine = engine;
    const RunResult empty = run(Model{}, options, recorder);
    CHECK(empty.status == RunStatus::complete);
    CHECK(empty.events == 0);
    CHECK(empty.end == SimTime{0});
    const RunResult idle = run(ring(3, 0, SimTime{1}), options, recorder);
    CHECK(idle.events == 0);
    CHECK(recorder.flushes == std::vector<SimTime>{SimTime{0}, SimTime{0}});
  }
}

TEST_CASE("events before stop-at are handled and those at it are not") {
  const Model model = ring(4, 100, nanoseconds(1));
  for (Engine engine : both) {
    MemoryRecorder recorder;
    RunOptions options;
    options.engine = engine;
    options.stop_at = nanoseconds(10);
    const RunResult result = run(model, options, recorder);
    CHECK(result.status == RunStatus::complete);
    CHECK(result.events == 9);  // at 1 ... 9 ns
    CHECK(result.end == nanoseconds(10));
  }
}

// The token makes a row each ns; windows of one rank alone are 16 ns.
TEST_CASE("a run ends at a window behind the last row that its recorder needs") {
  const Model model = ring(4, 1000, nanoseconds(1));
  for (Engine engine : both) {
    Counter recorder(20);
    RunOptions options;
    options.engine = engine;
    const RunResult result = run(model, options, recorder);
    CHECK(result.status == RunStatus::complete);
    CHECK(recorder.rows >= 20);
    CHECK(recorder.rows <= 64);
    CHECK(result.events == recorder.rows);
    CHECK(result.end == nanoseconds(recorder.rows + 1));
    CHECK(recorder.flushed_to == result.end);
  }
  Counter never(2000);
  CHECK(run(model, {}, never).events == 1000);
}

// Component 2 of the ring has the token after 2 ns: its timer has nothing to do then.
TEST_CASE("a timer that nothing waits for prolongs no run, whenever it comes") {
  for (const SimTime timer : {SimTime{2001}, nanoseconds(100), nanoseconds(3'600'000'000'000)})
    for (const SimTime stop_at : {time_never, nanoseconds(1'000'000)})
      for (Engine engine : both) {
        MemoryRecorder recorder;
        RunOptions options;
        options.engine = engine;
        options.stop_at = stop_at;
        const RunResult result = run(waiting_ring(2, 2, timer), options, recorder);
        CHECK(result.status == RunStatus::complete);
        CHECK(result.end == nanoseconds(2));
        CHECK(recorder.flushes.back() == nanoseconds(2));
      }
}

// The token of 60 hops is on its way until 60 ns.
TEST_CASE("a timer that nothing waits for ends no run") {
  for (Engine engine : both) {
    MemoryRecorder recorder;
    RunOptions options;
    options.engine = engine;
    const RunResult result = run(waiting_ring(60, 2, nanoseconds(10)), options, recorder);
    CHECK(result.events == 61);
    CHECK(result.end == nanoseconds(60));
  }
}

// A token of one hop never comes to component 2. Its timer after an hour makes a token, which takes 1 ns.
TEST_CASE("a timer that a component waits for is awaited") {
  const SimTime hour = std::chrono::hours(1);
  for (Engine engine : both) {
    MemoryRecorder recorder;
    RunOptions options;
    options.engine = engine;
    const RunResult result = run(waiting_ring(1, 2, hour), options, recorder);
    CHECK(result.status == RunStatus::complete);
    CHECK(result.end == hour + nanoseconds(1));
    options.stop_at = nanoseconds(50);
    CHECK(run(waiting_ring(1, 2, hour), options, recorder).end == nanoseconds(50));
  }
}

TEST_CASE("a deadlock is found, at its time, beside a timer that nothing waits for") {
  for (const SimTime stop_at : {time_never, nanoseconds(1'000'000)})
    for (Engine engine : both) {
      MemoryRecorder recorder;
      RunOptions options;
      options.engine = engine;
      options.stop_at = stop_at;
      const RunResult result = run(waiting_ring(2, 3, SimTime{0}, std::chrono::hours(1)), options, recorder);
      CHECK(result.status == RunStatus::deadlock);
      CHECK(result.waits_total == 1);
      CHECK(result.end == nanoseconds(2));
    }
}

// An hour holds 3.6e10 windows of 100 ns; no event is in any of them but the first and the last.
TEST_CASE("an idle hour takes no windows") {
  TestModel test;
  const ComponentId one = test.add(sleeper_kind(), std::make_shared<Spec>()),
                    other = test.add(sleeper_kind(), std::make_shared<Spec>());
  test.connect(one, other, nanoseconds(100));
  const Model model = test.build();
  for (Engine engine : both) {
    MemoryRecorder recorder;
    RunOptions options;
    options.engine = engine;
    options.window = nanoseconds(100);
    const RunResult result = run(model, options, recorder);
    CHECK(result.events == 4);
    CHECK(result.end == std::chrono::hours(1));
    CHECK(result.windows < 10);
    CHECK((engine == Engine::reference || result.windows >= 2));
  }
}

TEST_CASE("rows are flushed at the multiples of the interval that end an interval with events") {
  const Model model = ring(2, 3, nanoseconds(100));  // events at 100, 200, 300 ns
  for (Engine engine : both) {
    MemoryRecorder recorder(nanoseconds(30));
    RunOptions options;
    options.engine = engine;
    const RunResult result = run(model, options, recorder);
    CHECK(result.end == nanoseconds(300));
    CHECK(recorder.flushes ==
          std::vector<SimTime>{nanoseconds(30), nanoseconds(120), nanoseconds(210), nanoseconds(300)});
    REQUIRE(recorder.rows.size() == 3);
    CHECK(recorder.rows[0].interval == 1);
    CHECK(recorder.rows[1].interval == 2);
    CHECK(recorder.rows[2].interval == 3);
  }
}

TEST_CASE("a link without latency is refused with its class") {
  MemoryRecorder recorder;
  const Model model = ring(2, 1, SimTime{0});
  CHECK_THROWS_WITH(run(model, {}, recorder),
                    "link class 'class0': latency 0 ps (every link needs at least 1 ps)");
}

TEST_CASE("the first failure by time and component ends the run under both engines") {
  TestModel test;
  for (std::int64_t c = 0; c < 8; ++c) {
    auto spec = std::make_shared<RestlessSpec>();
    spec->first_budget = 500;
    spec->max_delay = SimTime{0};  // all at one time
    spec->throws_at = c == 6 ? 0 : c == 3 ? 0 : -1;
    test.add(restless_kind(), spec);
  }
  for (std::uint32_t c = 0; c < 8; ++c)
    test.connect(ComponentId{c}, ComponentId{(c + 1) % 8}, nanoseconds(5));
  const Model model = test.build();
  for (Engine engine : both) {
    MemoryRecorder recorder;
    RunOptions options;
    options.engine = engine;
    try {
      run(model, options, recorder);
      FAIL("no exception");
    } catch (const SimulationError& e) {
      CHECK(e.time == SimTime{0});
      CHECK(e.component == "restless3");
      CHECK(std::string(e.what()) == "restless3 at 0 ps: tired on port 65535");
    }
    CHECK(recorder.flushes.size() == 1);  // what was recorded is kept
  }
}

TEST_CASE("a broken contract in a component names the component and the time") {
  TestModel test;
  auto spec = std::make_shared<RestlessSpec>();
  spec->first_budget = 10;
  spec->max_delay = SimTime{0};
  spec->throws_at = 0;
  spec->breaks_contract = true;
  test.add(restless_kind(), spec);
  const Model model = test.build();
  for (Engine engine : both) {
    MemoryRecorder recorder;
    RunOptions options;
    options.engine = engine;
    CHECK_THROWS_AS(run(model, options, recorder), ContractError);
    CHECK_THROWS_WITH(run(model, options, recorder), "broken on purpose (restless0 at 0 ps)");
  }
}

TEST_CASE("a send on a port that is not connected is our bug, not a crash") {
  Model model = ring(2, 1, SimTime{7});
  model.ports[0].out = LinkId{};
  for (Engine engine : both) {
    MemoryRecorder recorder;
    RunOptions options;
    options.engine = engine;
    CHECK_THROWS_AS(run(model, options, recorder), ContractError);
  }
}

TEST_CASE("exit-after stops a run and says so") {
  TestModel test;
  auto spec = std::make_shared<RestlessSpec>();
  spec->first_budget = 1'000'000'000;
  spec->works_for_s = 1e-5;
  const ComponentId a = test.add(restless_kind(), spec), b = test.add(restless_kind(), spec);
  test.connect(a, b, SimTime{100});
  const Model model = test.build();
  for (Engine engine : both) {
    MemoryRecorder recorder;
    RunOptions options;
    options.engine = engine;
    options.exit_after_s = 0.05;
    const RunResult result = run(model, options, recorder);
    CHECK(result.status == RunStatus::stopped);
    CHECK(result.stop_reason == "exit-after");
    CHECK(result.events > 0);
    CHECK(recorder.flushes.size() == 1);
  }
}

TEST_CASE("a hash is printed as 16 hexadecimal digits") {
  CHECK(hash_text(0) == "0000000000000000");
  CHECK(hash_text(0xabcdef0123456789ULL) == "abcdef0123456789");
}

TEST_CASE("a status has a name") {
  CHECK(std::string(to_string(RunStatus::complete)) == "complete");
  CHECK(std::string(to_string(RunStatus::stopped)) == "stopped");
  CHECK(std::string(to_string(RunStatus::deadlock)) == "deadlock");
}

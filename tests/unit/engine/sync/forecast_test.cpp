#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "engine/sync/forecast.hpp"

#include <catch2/catch.hpp>

#include "engine/sync/simulation.hpp"
#include "tests/support/memory_recorder.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_model.hpp"
#include "tests/support/token.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Components in a ring of 100 ns; of four, 0 and 1 are together on two ranks, and 2 and 3.
Model ring(std::uint32_t size = 4) {
  TestModel test;
  for (std::uint32_t c = 0; c < size; ++c) test.add(token_kind(), std::make_shared<TokenSpec>());
  for (std::uint32_t c = 0; c < size; ++c)
    test.connect(ComponentId{c}, ComponentId{(c + 1) % size}, nanoseconds(100));
  return test.build();
}

ForecastPlan plan_for(const Model& model, std::initializer_list<int> ranks) {
  ForecastPlan plan;
  for (int n : ranks) plan.partitions.push_back(make_partition(model, n, Partitioner::blocks));
  return plan;
}

}  // namespace

// Three events of 1 us on rank 0 beside one on rank 1: 4 us of work, 3 us of it one after the other.
TEST_CASE("the busiest rank of a window sets its time") {
  const Model model = ring();
  ForecastRecorder recorder(model, plan_for(model, {2}));
  recorder.go_to(SimTime{0});
  recorder.count(ComponentId{0}, 2, 2e-6);
  recorder.count(ComponentId{1}, 1, 1e-6);
  recorder.count(ComponentId{3}, 1, 1e-6);
  const ForecastRow row = recorder.rows(4e-6).at(0);
  CHECK(row.windows == 1);
  CHECK(row.work_s == Approx(4e-6));
  CHECK(row.longest_s == Approx(3e-6));
  CHECK(row.balance() == Approx(4.0 / (2 * 3)));
}

TEST_CASE("ranks that work in turns gain nothing") {
  const Model model = ring();
  ForecastPlan plan = plan_for(model, {2});
  plan.network = {1e-15, 1e15, 0};
  ForecastRecorder recorder(model, plan);
  for (int window = 0; window < 10; ++window) {
    recorder.go_to(nanoseconds(100 * window));
    recorder.count(ComponentId{window % 2 == 0 ? 0u : 2u}, 5, 5e-6);
  }
  const ForecastRow row = recorder.rows(50e-6).at(0);
  CHECK(row.windows == 10);
  CHECK(row.speedup() == Approx(1).epsilon(1e-6));
  CHECK(row.efficiency() == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("slices of one lookahead are one window, and windows without events cost nothing") {
  const Model model = ring();
  ForecastRecorder recorder(model, plan_for(model, {2, 4}));
  for (int time : {0, 40, 99, 100, 5000}) {
    recorder.go_to(nanoseconds(time));
    recorder.count(ComponentId{0}, 1, 0);
  }
  for (const ForecastRow& row : recorder.rows(1)) {
    CHECK(row.lookahead == nanoseconds(100));
    CHECK(row.windows == 3);
  }
}

// Link 0 -> 1 is inside a rank of two and between ranks of four; self links are never cut.
TEST_CASE("events between ranks are counted for each rank count") {
  const Model model = ring();
  ForecastRecorder recorder(model, plan_for(model, {2, 4}));
  recorder.go_to(SimTime{0});
  recorder.count_sent(LinkId{0});
  recorder.count_sent(LinkId{2});
  recorder.count_sent(model.self_link(ComponentId{0}));
  for (std::uint32_t c = 0; c < 4; ++c) recorder.count(ComponentId{c}, 1, 1e-6);
  const std::vector<ForecastRow> rows = recorder.rows(4e-6);
  CHECK(rows.at(0).sent_events == 1);
  CHECK(rows.at(1).sent_events == 2);
}

TEST_CASE("slices may come in any order before their window has ended") {
  const Model model = ring();
  ForecastRecorder recorder(model, plan_for(model, {2}));
  const SimTime width = plan_for(model, {2}).partitions[0].lookahead;
  for (const int window : {0, 1, 0, 2, 1}) {
    recorder.go_to(window * width);
    recorder.count(ComponentId{0}, 5, 5e-6);
  }
  recorder.end_before(2 * width);
  recorder.go_to(2 * width + SimTime{1});
  recorder.count(ComponentId{0}, 5, 5e-6);
  const ForecastRow row = recorder.rows(1).at(0);
  CHECK(row.windows == 3);
  CHECK(row.longest_s == Approx(1.0));
}

// A window waits for the slower of its reduction, log2(16) * (2 + 2 * 0.5) us, and of its exchange: two
// neighbours at 2 * 0.5 us each, 2 us of latency, and 32 bytes a neighbour at 64 B/us.
TEST_CASE("a window waits for exchange or reduction, whichever is longer") {
  const Model model = ring(16);
  ForecastPlan plan = plan_for(model, {16});
  plan.network = {2e-6, 64e6, 0.5e-6};
  ForecastRecorder slow(model, plan);
  slow.go_to(SimTime{0});
  slow.count(ComponentId{0}, 1, 1e-6);
  CHECK(slow.rows(1e-6).at(0).sync_s == Approx(12e-6));
  plan.network.bandwidth_bytes_per_s = 6.4e6;  // 10 us of bytes
  ForecastRecorder slower(model, plan);
  slower.go_to(SimTime{0});
  slower.count(ComponentId{0}, 1, 1e-6);
  CHECK(slower.rows(1e-6).at(0).sync_s == Approx(14e-6));
}

// Sixteen ranks, each the neighbour of the others: 2 us of latency, 15 * 2 * 0.01 us for messages and 15 * 32
// bytes at 1000 B/us. In a ring they are not, and a reduction takes log2(16) * (2 + 2 * 0.01) us. Eight ranks
// greet each other in any case: 2 us, 7 * 2 * 0.01 us and 7 * 32 bytes.
TEST_CASE("where every rank greets every other one a window has no reduction of its own") {
  TestModel test;
  for (std::uint32_t c = 0; c < 16; ++c) test.add(token_kind(), std::make_shared<TokenSpec>());
  for (std::uint32_t from = 0; from < 16; ++from)
    for (std::uint32_t to = from + 1; to < 16; ++to)
      test.connect(ComponentId{from}, ComponentId{to}, nanoseconds(100));
  const auto sync_s = [](const Model& model, int ranks) {
    ForecastPlan plan = plan_for(model, {ranks});
    plan.network = {2e-6, 1e9, 0.01e-6};
    ForecastRecorder recorder(model, plan);
    recorder.go_to(SimTime{0});
    recorder.count(ComponentId{0}, 1, 1e-6);
    return recorder.rows(1e-6).at(0).sync_s;
  };
  CHECK(sync_s(test.build(), 16) == Approx(2e-6 + 0.3e-6 + 0.48e-6));
  CHECK(sync_s(ring(16), 16) == Approx(8.08e-6));
  CHECK(sync_s(ring(8), 8) == Approx(2e-6 + 0.14e-6 + 0.224e-6));
}

TEST_CASE("a forecast changes no result") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomCase c = random_case(seed, 500);
    const ForecastPlan plan = plan_for(c.model, {2, 3, 7});
    std::uint64_t hash[2];
    for (const bool with : {false, true}) {
      MemoryRecorder recorder(c.interval);
      RunOptions options;
      options.stop_at = c.stop_at;
      options.forecast = with ? &plan : nullptr;
      Simulation simulation(c.model, make_partition(c.model, 1, Partitioner::blocks), MPI_COMM_WORLD,
                            recorder);
      const RunResult result = simulation.run(options);
      hash[with] = result.hash;
      CHECK(result.forecast.size() == (with ? 3 : 0));
    }
    INFO(c.text);
    CHECK(hash[0] == hash[1]);
  }
}

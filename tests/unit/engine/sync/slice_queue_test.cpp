#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/sync/slice_queue.hpp"

#include <catch2/catch.hpp>

#include "engine/base/random.hpp"
#include "tests/support/memory_recorder.hpp"
#include "tests/support/test_model.hpp"
#include "tests/support/token.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

Model loners(std::uint32_t count) {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  for (std::uint32_t c = 0; c < count; ++c) test.add(token_kind(), spec);
  return test.build();
}

bool always(SimTime, SimTime) {
  return true;
}

}  // namespace

TEST_CASE("small blocks of a large model grow until their number is bounded") {
  MemoryRecorder recorder;
  for (const auto& [components, blocks] : {std::pair{10'000u, 10'001u}, {40'000u, 10'001u}}) {
    const Model model = loners(components);
    RankModel rank_model(model, make_partition(model, 1, Partitioner::blocks), 0, recorder);
    CHECK(SliceQueue(rank_model, SimTime{100}, 1).blocks() == blocks);
    CHECK(SliceQueue(rank_model, SimTime{100}, 256).blocks() == components / 256 + 1);
  }
}

TEST_CASE("a drained slice gives each component its events in order, components ascending") {
  const Model model = loners(300);
  MemoryRecorder recorder;
  RankModel rank_model(model, make_partition(model, 1, Partitioner::blocks), 0, recorder);
  for (std::uint32_t block : {1u, 2u, 16u, 1000u}) {
    SliceQueue queue(rank_model, SimTime{100}, block);
    Random random(block, ComponentId{0}, 0);
    constexpr std::uint32_t count = 50'000;
    for (std::uint32_t tie = 0; tie < count; ++tie) {
      // A third of the events goes to component 5.
      const auto local = random.below(3) == 0 ? 5u : static_cast<std::uint32_t>(random.below(300));
      const auto time = static_cast<std::int64_t>(random.below(random.below(2) == 0 ? 1000 : 1'000'000));
      queue.push({{SimTime{time}, model.self_link(ComponentId{local}), tie, {}}, local, self_port, 0});
    }
    std::uint32_t drained = 0;
    SimTime before{0};
    while (queue.next_time() != time_never) {
      const SimTime next = queue.next_time();
      // Sometimes the slice is cut short.
      const SimTime end = next + SimTime{1 + static_cast<std::int64_t>(random.below(150))};
      SimTime first = time_never;
      std::int64_t last_local = -1;
      queue.drain(end, always, [&](std::uint32_t local, std::span<const Delivery> events) {
        REQUIRE(static_cast<std::int64_t>(local) > last_local);
        last_local = local;
        for (std::size_t i = 0; i < events.size(); ++i) {
          REQUIRE(events[i].event.link == model.self_link(ComponentId{local}));
          REQUIRE(events[i].event.time >= before);
          REQUIRE(events[i].event.time < end);
          if (i > 0) REQUIRE(comes_before(events[i - 1].event, events[i].event));
          first = std::min(first, events[i].event.time);
        }
        drained += static_cast<std::uint32_t>(events.size());
      });
      REQUIRE(first == next);
      before = next;
    }
    CHECK(drained == count);
  }
}

TEST_CASE("tiles take turns of as many slices as the links between them last") {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  for (std::uint32_t c = 0; c < 4; ++c) test.add(token_kind(), spec);
  test.connect(ComponentId{0}, ComponentId{2}, SimTime{100});
  test.connect(ComponentId{1}, ComponentId{3}, SimTime{100});
  test.connect(ComponentId{0}, ComponentId{1}, SimTime{350});
  const Model model = test.build();
  MemoryRecorder recorder;
  RankModel rank_model(model, make_partition(model, 1, PartitionPlan{.tile_bytes = 1200}), 0, recorder);
  REQUIRE(rank_model.tile_starts() == std::vector<std::uint32_t>{0, 256, 258});
  SliceQueue queue(rank_model, SimTime{100}, 16);
  CHECK(queue.tile_slices() == 3);
  using Seen = std::vector<std::pair<std::int64_t, std::uint32_t>>;
  Seen seen;
  for (const std::uint32_t component : {0u, 1u, 2u, 3u})
    for (const std::int64_t time : {50, 150, 250, 350})
      queue.push(rank_model.deliver({SimTime{time}, model.self_link(ComponentId{component}), 0, {}}));
  const auto note = [&](std::uint32_t place, std::span<const Delivery> events) {
    for (const Delivery& one : events)
      seen.emplace_back(one.event.time.count(), rank_model.id_of(place).value);
  };
  queue.drain(SimTime{1000}, always, note);
  CHECK(seen == Seen{{50, 0},
                     {50, 2},
                     {150, 0},
                     {150, 2},
                     {250, 0},
                     {250, 2},
                     {50, 1},
                     {50, 3},
                     {150, 1},
                     {150, 3},
                     {250, 1},
                     {250, 3}});
  CHECK(queue.next_time() == SimTime{350});
  seen.clear();
  // The second tile does not go on beyond a slice that ends with a failure, say.
  queue.drain(
      SimTime{380}, [](SimTime from, SimTime) { return from < SimTime{300}; }, note);
  CHECK(seen.empty());
  CHECK(queue.next_time() == SimTime{350});
  queue.drain(SimTime{380}, always, note);
  CHECK(seen == Seen{{350, 0}, {350, 2}, {350, 1}, {350, 3}});
  CHECK(queue.pending() == 0);
}

TEST_CASE("what lands in a cut slice behind the cut waits for the next drain") {
  const Model model = loners(2);
  MemoryRecorder recorder;
  RankModel rank_model(model, make_partition(model, 1, Partitioner::blocks), 0, recorder);
  SliceQueue queue(rank_model, SimTime{100}, 1);
  queue.push({{SimTime{10}, model.self_link(ComponentId{0}), 0, {}}, 0, self_port, 0});
  queue.push({{SimTime{60}, model.self_link(ComponentId{1}), 0, {}}, 1, self_port, 0});
  std::vector<std::int64_t> seen;
  const auto note = [&](std::uint32_t local, std::span<const Delivery> events) {
    for (const auto& [event, place, port, unused] : events) {
      seen.push_back(event.time.count());
      if (event.time < SimTime{50})
        queue.push({{event.time + SimTime{45}, event.link, event.tie + 1, {}}, local, port, 0});
    }
  };
  queue.drain(SimTime{50}, always, note);
  CHECK(seen == std::vector<std::int64_t>{10});
  CHECK(queue.next_time() == SimTime{55});
  queue.drain(SimTime{100}, always, note);
  CHECK(seen == std::vector<std::int64_t>{10, 55, 60});
  CHECK(queue.next_time() == time_never);
}

// 0 - 1 | 2 - 3: of the first rank component 1 has the link to the other, so it runs before 0.
TEST_CASE("what is linked to other ranks runs first, and it is told when that is over") {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  for (std::uint32_t c = 0; c < 4; ++c) test.add(token_kind(), spec);
  for (std::uint32_t c = 0; c < 3; ++c)
    test.connect(ComponentId{c}, ComponentId{c + 1}, SimTime{c == 1 ? 200 : 100});
  const Model model = test.build();
  MemoryRecorder recorder;
  const PartitionPlan plan{.partitioner = Partitioner::blocks, .tile_bytes = 0};
  RankModel rank_model(model, make_partition(model, 2, plan), 0, recorder);
  REQUIRE(rank_model.interior_start() == 1);
  SliceQueue queue(rank_model, SimTime{100}, 1);
  using Seen = std::vector<std::pair<std::int64_t, std::uint32_t>>;
  Seen seen;
  const auto push = [&](std::uint32_t component, std::int64_t time) {
    queue.push(rank_model.deliver({SimTime{time}, model.self_link(ComponentId{component}), 0, {}}));
  };
  const auto drain = [&](std::int64_t end) {
    seen.clear();
    queue.drain(
        SimTime{end}, always,
        [&](std::uint32_t place, std::span<const Delivery> events) {
          for (const Delivery& one : events)
            seen.emplace_back(one.event.time.count(), rank_model.id_of(place).value);
        },
        [&] { seen.emplace_back(-1, 0); });
    return seen;
  };
  for (const std::uint32_t component : {0u, 1u})
    for (const std::int64_t time : {50, 150}) push(component, time);
  // A drain is one slice here: only that which reaches the end of the window is the last for the boundary.
  CHECK(drain(200) == Seen{{50, 1}, {50, 0}});
  CHECK(drain(200) == Seen{{150, 1}, {-1, 0}, {150, 0}});
  // Nothing of the boundary is due: all of it is over. Nothing else is due: no need to tell.
  push(0, 250);
  CHECK(drain(300) == Seen{{-1, 0}, {250, 0}});
  push(1, 350);
  CHECK(drain(400) == Seen{{350, 1}});
}

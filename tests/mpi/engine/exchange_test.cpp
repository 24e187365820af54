#include "engine/sync/exchange.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/numbers.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/test_model.hpp"
#include "tests/support/token.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// One component a rank, all linked with all.
Model all_to_all() {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  const auto n = static_cast<std::uint32_t>(ranks());
  for (std::uint32_t c = 0; c < n; ++c) test.add(token_kind(), spec);
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = a + 1; b < n; ++b) test.connect(ComponentId{a}, ComponentId{b}, SimTime{100});
  return test.build();
}

/// One component a rank, linked with the next: from four on, not all ranks are neighbours.
Model ring() {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  const auto n = static_cast<std::uint32_t>(ranks());
  for (std::uint32_t c = 0; c < n; ++c) test.add(token_kind(), spec);
  for (std::uint32_t c = 0; c < n && n > 1; ++c)
    test.connect(ComponentId{c}, ComponentId{(c + 1) % n}, SimTime{100});
  return test.build();
}

// Counts around the 254 events of a first message, and far beyond what MPI sends eagerly, both ways at once.
// Ranks send ahead of the window's facts or with them, each as it likes, to the ranks that they are linked
// with.
void check_events(const Model& model, int few, std::initializer_list<std::uint32_t> counts) {
  const Partition partition = make_partition(model, ranks(), Partitioner::blocks);
  Exchange exchange(model, partition, MPI_COMM_WORLD, few);
  std::set<int> linked;
  for (const LinkRecord& link : model.links)
    if (partition.rank_of(model.components[link.from.value]) == rank())
      linked.insert(partition.rank_of(model.components[link.to.value]));
  linked.erase(rank());
  std::int64_t window = 0;
  for (const std::uint32_t count : counts) {
    for (const int to : linked)
      for (std::uint32_t i = 0; i < count; ++i) {
        Event event;
        event.time = SimTime{1000 + i};
        event.tie = i;
        event.payload = to_payload(test::Numbers{.first = static_cast<std::uint32_t>(rank()),
                                                 .second = static_cast<std::uint32_t>(to)});
        exchange.put(event, static_cast<std::uint32_t>(to));
      }
    if ((window + rank()) % 2 == 0) exchange.send_ahead(window);
    WindowFacts mine;
    mine.stop = rank() == 0 ? -window : 0;
    const WindowFacts all = exchange.turn(window, mine);
    REQUIRE(all.stop == -window++);
    REQUIRE(all.next_time == (ranks() > 1 && count > 0 ? 1000 : time_never.count()));
    std::vector<std::uint32_t> next(static_cast<std::size_t>(ranks()), 0);
    exchange.for_each_received([&](const Event& event) {
      const auto said = as<test::Numbers>(event.payload);
      REQUIRE(said.second == static_cast<std::uint32_t>(rank()));
      REQUIRE(event.tie == next[said.first]++);
    });
    for (int from = 0; from < ranks(); ++from)
      REQUIRE(next[static_cast<std::size_t>(from)] == (linked.count(from) ? count : 0));
  }
}

}  // namespace

TEST_CASE("every event arrives once at its rank, however many there are in a window") {
  check_events(all_to_all(), Exchange::few_ranks,
               {0, 1, 253, 254, 255, 256, 256, 257, 257, 5'000, 5'000, 0, 200'000, 200'000, 3});
}

TEST_CASE("every event arrives once where ranks greet their neighbours alone") {
  check_events(ring(), 0, {0, 1, 254, 255, 256, 256, 257, 5'000, 5'000, 0, 3});
}

TEST_CASE("what one rank knows reaches all, be they all neighbours or not, few or many") {
  const Model linked_with_all = all_to_all(), linked_with_two = ring();
  const std::pair<const Model*, int> cases[] = {
      {&linked_with_all, 0}, {&linked_with_two, 0}, {&linked_with_two, Exchange::few_ranks}};
  for (const auto& [model, few] : cases) {
    Exchange exchange(*model, make_partition(*model, ranks(), Partitioner::blocks), MPI_COMM_WORLD, few);
    for (int one = 0; one < ranks(); ++one) {
      WindowFacts mine;
      if (rank() == one) mine = {7, 3, -15, -1, -1};
      const WindowFacts all = exchange.turn(one, mine);
      CHECK(all.next_time == 7);
      CHECK(all.failed_at == 3);
      CHECK(all.stop == -15);
      CHECK(all.asks_progress == -1);
      CHECK(all.asks_checkpoint == -1);
    }
    const WindowFacts none = exchange.turn(ranks(), {});
    CHECK(none.next_time == time_never.count());
    CHECK(none.stop == 0);
  }
}

TEST_CASE("an event put after the others have gone ahead is our bug") {
  if (ranks() == 1) return;
  const Model model = all_to_all();
  Exchange exchange(model, make_partition(model, ranks(), Partitioner::blocks), MPI_COMM_WORLD);
  const auto other = static_cast<std::uint32_t>((rank() + 1) % ranks());
  for (int i = 0; i < 1000; ++i) exchange.put({}, other);
  exchange.send_ahead(0);
  CHECK_THROWS_AS(exchange.put({}, other), ContractError);
  exchange.turn(0, {});
  exchange.put({}, other);
  exchange.turn(1, {});
}

TEST_CASE("an event for a rank without a link to it is our bug") {
  const Model model = all_to_all();
  Exchange exchange(model, make_partition(model, ranks(), Partitioner::blocks), MPI_COMM_WORLD);
  CHECK_THROWS_AS(exchange.put({}, static_cast<std::uint32_t>(rank())), ContractError);
}

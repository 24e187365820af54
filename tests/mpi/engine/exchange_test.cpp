#include "engine/sync/exchange.hpp"

#include <catch2/catch.hpp>

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

/// One component a rank, linked with the next: not all ranks are neighbours from four on.
Model ring() {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  const auto n = static_cast<std::uint32_t>(ranks());
  for (std::uint32_t c = 0; c < n; ++c) test.add(token_kind(), spec);
  for (std::uint32_t c = 0; c < n && n > 1; ++c)
    test.connect(ComponentId{c}, ComponentId{(c + 1) % n}, SimTime{100});
  return test.build();
}

}  // namespace

// Counts around the 254 events of a first message, and far beyond what MPI sends eagerly, both ways at once.
// Ranks send ahead of the window's facts or with them, each as it likes.
TEST_CASE("every event arrives once at its rank, however many there are in a window") {
  const Model model = all_to_all();
  Exchange exchange(model, make_partition(model, ranks(), Partitioner::blocks), MPI_COMM_WORLD);
  std::int64_t window = 0;
  for (std::uint32_t count :
       {0u, 1u, 253u, 254u, 255u, 256u, 256u, 257u, 257u, 5'000u, 5'000u, 0u, 200'000u, 200'000u, 3u}) {
    for (int to = 0; to < ranks(); ++to)
      for (std::uint32_t i = 0; to != rank() && i < count; ++i) {
        Event event;
        event.time = SimTime{1000 + i};
        event.tie = i;
        event.payload.a = static_cast<std::uint32_t>(rank());
        event.payload.b = static_cast<std::uint32_t>(to);
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
      REQUIRE(event.payload.b == static_cast<std::uint32_t>(rank()));
      REQUIRE(event.tie == next[event.payload.a]++);
    });
    for (int from = 0; from < ranks(); ++from)
      REQUIRE(next[static_cast<std::size_t>(from)] == (from == rank() ? 0 : count));
  }
}

TEST_CASE("what one rank knows reaches all, be they all neighbours or not") {
  for (const Model& model : {all_to_all(), ring()}) {
    Exchange exchange(model, make_partition(model, ranks(), Partitioner::blocks), MPI_COMM_WORLD);
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

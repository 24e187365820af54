#include "network/transport/queue_pairs.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <set>

using namespace lightrail;

namespace {

constexpr Address between(Connection connection) {
  return {EndpointId{3}, EndpointId{9}, connection};
}
Connection connection(std::uint32_t kind, Phase phase) {
  return Connection::make(kind, 5, static_cast<std::uint32_t>(phase)).in_attempt(6);
}

}  // namespace

TEST_CASE("a queue pair says its number and whose it is, and no two are the same connection") {
  const QueuePairs pairs{.count = 16, .group_kinds = 15};
  REQUIRE(QueuePairs::most(15) == 16);
  std::set<std::uint32_t> all;
  for (std::uint32_t kind = 0; kind < 15; ++kind) {
    const Connection whole = connection(kind, Phase::ring);
    CHECK(pairs.number(whole) == 0);
    CHECK(pairs.whole(whole) == whole);
    all.insert(whole.value);
    for (std::uint32_t number = 1; number <= 16; ++number) {
      const Connection pair = pairs.of(whole, number);
      CHECK(pairs.number(pair) == number);
      CHECK(pairs.whole(pair) == whole);
      CHECK(pair.attempt() == 6);
      CHECK(pair.channel() == 5);
      all.insert(pair.value);
    }
  }
  CHECK(all.size() == 15 * 17);
}

TEST_CASE("connections of I/O have numbers in the place of group kinds, and no queue pairs") {
  const QueuePairs pairs{.count = 4, .group_kinds = 2};
  const Connection io = connection(9, Phase::io_data);
  CHECK(pairs.number(io) == 0);
  CHECK(pairs.whole(io) == io);
}

TEST_CASE("ECMP hashes a queue pair by itself, or where ways are disjoint what it belongs to") {
  QueuePairs pairs{.count = 4, .group_kinds = 2};
  const Connection whole = connection(1, Phase::pairs), third = pairs.of(whole, 3);
  CHECK(way_of(between(third), nullptr, true).hashed == between(third));
  CHECK(way_of(between(third), &pairs, true).hashed == between(third));
  CHECK(way_of(between(third), &pairs, true).further == 0);
  pairs.ways = QueuePairWays::disjoint;
  CHECK(way_of(between(third), &pairs, true).hashed == between(whole));
  CHECK(way_of(between(third), &pairs, true).further == 2);
  CHECK(way_of(between(whole), &pairs, true).hashed == between(whole));
  CHECK(way_of(between(whole), &pairs, true).further == 0);
}

TEST_CASE("behind two ports of a NIC the queue pairs of each port have ways of their own") {
  const QueuePairs pairs{.count = 8, .group_kinds = 1, .ways = QueuePairWays::disjoint, .nic_ports = 2};
  std::set<std::uint32_t> of_port[2];
  for (std::uint32_t number = 1; number <= 8; ++number) {
    const Address flow = between(pairs.of(connection(0, Phase::ring), number));
    of_port[way_of(flow, &pairs, false).further % 2].insert(way_of(flow, &pairs, true).further);
  }
  for (const auto& ways : of_port) CHECK(ways == std::set<std::uint32_t>{0, 1, 2, 3});
}

TEST_CASE("chunks of sends and all-to-alls are smaller than those of rings") {
  const QueuePairs pairs{.count = 2, .point_chunk = 10, .ring_chunk = 40, .chunk = 20};
  CHECK(pairs.chunk_of(Phase::pairs) == 10);
  CHECK(pairs.chunk_of(Phase::point_to_point) == 10);
  CHECK(pairs.chunk_of(Phase::ring) == 40);
  CHECK(pairs.chunk_of(Phase::tree_up) == 20);
}

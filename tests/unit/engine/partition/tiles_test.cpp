#include "engine/partition/tiles.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/support/test_model.hpp"
#include "tests/support/token.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr std::uint32_t in_a_server = 4;

/// Chains of four servers: links of 1 ns inside, 10 ns to the next server of the chain, 100 ns from a chain's
/// first server to the very first.
Model servers(std::uint32_t count) {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  for (std::uint32_t c = 0; c < count * in_a_server; ++c) test.add(token_kind(), spec, c / in_a_server);
  for (std::uint32_t s = 0; s < count; ++s) {
    const std::uint32_t first = s * in_a_server;
    for (std::uint32_t i = 1; i < in_a_server; ++i)
      test.connect(ComponentId{first}, ComponentId{first + i}, nanoseconds(1));
    if (s % 4 != 3 && s + 1 < count)
      test.connect(ComponentId{first}, ComponentId{first + in_a_server + 1}, nanoseconds(10));
    if (s % 4 == 0 && s > 0) test.connect(ComponentId{0}, ComponentId{first}, nanoseconds(100));
  }
  return test.build();
}

Tiles tiles_of(const Model& model, std::int64_t bytes) {
  return make_tiles(model, make_partition(model, 1, PartitionPlan{.tile_bytes = bytes}), 0);
}

std::vector<std::size_t> sizes(const Tiles& tiles) {
  std::vector<std::size_t> all;
  for (const auto& members : tiles.members) all.push_back(members.size());
  return all;
}

}  // namespace

TEST_CASE("tiles are cut at the longest links that leave them small enough") {
  const Model model = servers(16);
  const Tiles whole = tiles_of(model, 0);
  CHECK(sizes(whole) == std::vector<std::size_t>{64});
  CHECK(whole.width == time_never);
  CHECK(sizes(tiles_of(model, 1 << 20)) == std::vector<std::size_t>{64});

  const Tiles pods = tiles_of(model, 11'000);  // a pod of 4 servers takes less, two take more
  CHECK(sizes(pods) == std::vector<std::size_t>{16, 16, 16, 16});
  CHECK(pods.width == nanoseconds(100));

  const Tiles single = tiles_of(model, 3'800);  // a server
  CHECK(sizes(single) == std::vector<std::size_t>(16, in_a_server));
  CHECK(single.width == nanoseconds(10));
}

TEST_CASE("the shortest links are never cut, however small tiles should be") {
  const Tiles tiles = tiles_of(servers(16), 700);
  CHECK(sizes(tiles) == std::vector<std::size_t>(16, in_a_server));
  CHECK(tiles.width == nanoseconds(10));
}

TEST_CASE("a component that is larger than a tile leaves the others theirs") {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  const ComponentId hub = test.add(token_kind(), spec);
  for (std::uint32_t c = 1; c <= 40; ++c) {
    test.add(token_kind(), spec);
    test.connect(hub, ComponentId{c}, nanoseconds(100));
    if (c % 2 == 0) test.connect(ComponentId{c - 1}, ComponentId{c}, nanoseconds(1));
  }
  const Tiles tiles = tiles_of(test.build(), 2'000);
  CHECK(tiles.members.size() > 10);
  CHECK(tiles.width == nanoseconds(100));
}

TEST_CASE("where a turn would be no longer than a slice there is one tile") {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  for (std::uint32_t c = 0; c < 8; ++c) test.add(token_kind(), spec);
  for (std::uint32_t c = 0; c + 1 < 8; ++c)
    test.connect(ComponentId{c}, ComponentId{c + 1}, nanoseconds(c % 2 == 0 ? 100 : 199));
  const Tiles tiles = tiles_of(test.build(), 1'500);
  CHECK(sizes(tiles) == std::vector<std::size_t>{8});
  CHECK(tiles.width == time_never);
}

TEST_CASE("every component of a rank is in one tile and no shorter link joins two tiles") {
  const Model model = servers(40);
  for (int ranks : {1, 2, 3})
    for (std::int64_t bytes : {1'000, 3'000, 9'000, 30'000, 90'000}) {
      const Partition partition = make_partition(
          model, ranks, PartitionPlan{.partitioner = Partitioner::blocks, .tile_bytes = bytes});
      std::vector<int> seen(model.components.size(), 0);
      for (int rank = 0; rank < ranks; ++rank) {
        const Tiles tiles = make_tiles(model, partition, rank);
        std::vector<int> tile_of(model.components.size(), -1);
        for (std::size_t t = 0; t < tiles.members.size(); ++t) {
          // What is linked to other ranks first, then the others, both ascending.
          const auto& members = tiles.members[t];
          const auto others = std::is_sorted_until(members.begin(), members.end());
          CHECK(std::is_sorted(others, members.end()));
          CHECK((ranks > 1 || others == members.end()));
          for (const ComponentId id : tiles.members[t]) {
            CHECK(partition.rank_of(model.components[id.value]) == rank);
            ++seen[id.value];
            tile_of[id.value] = static_cast<int>(t);
          }
        }
        for (const LinkRecord& link : model.links) {
          const int from = tile_of[link.from.value], to = tile_of[link.to.value];
          if (from >= 0 && to >= 0 && from != to)
            CHECK(model.link_classes[link.link_class].latency >= tiles.width);
        }
      }
      CHECK(seen == std::vector<int>(model.components.size(), 1));
    }
}

TEST_CASE("a rank without components has an empty tile") {
  const Model model = servers(1);
  const Tiles tiles = make_tiles(model, make_partition(model, 3, Partitioner::blocks), 2);
  CHECK(sizes(tiles) == std::vector<std::size_t>{0});
}

TEST_CASE("tiles of a large model hold dozens of components, however small they are asked for") {
  TestModel test;
  auto spec = std::make_shared<TokenSpec>();
  constexpr std::uint32_t pairs = 20'000;
  for (std::uint32_t c = 0; c < 2 * pairs; ++c) test.add(token_kind(), spec, c / 2);
  for (std::uint32_t p = 0; p < pairs; ++p) {
    test.connect(ComponentId{2 * p}, ComponentId{2 * p + 1}, nanoseconds(1));
    if (p > 0) test.connect(ComponentId{2 * p - 2}, ComponentId{2 * p}, nanoseconds(10));
  }
  const Tiles tiles = tiles_of(test.build(), 1);
  CHECK(tiles.width == nanoseconds(10));
  CHECK(tiles.members.size() > 2000);
  CHECK(tiles.members.size() <= 8192);
}

TEST_CASE("what is linked to other ranks comes first, in its tile and with its tile") {
  const Model model = servers(16);
  for (const std::int64_t bytes : {0, 11'000, 3'800})
    for (int rank = 0; rank < 3; ++rank) {
      const Partition partition =
          make_partition(model, 3, PartitionPlan{.partitioner = Partitioner::blocks, .tile_bytes = bytes});
      std::vector<bool> is_boundary(model.components.size());
      for (const LinkRecord& link : model.links)
        if (partition.rank_of(model.components[link.from.value]) !=
            partition.rank_of(model.components[link.to.value]))
          is_boundary[link.from.value] = true;
      const Tiles tiles = make_tiles(model, partition, rank);
      std::vector<ComponentId> all;
      bool was_interior_tile = false;
      for (const auto& members : tiles.members) {
        const auto interior = std::find_if(members.begin(), members.end(),
                                           [&](ComponentId id) { return !is_boundary[id.value]; });
        CHECK(std::is_sorted(members.begin(), interior));
        CHECK(std::is_sorted(interior, members.end()));
        CHECK(std::none_of(interior, members.end(), [&](ComponentId id) { return is_boundary[id.value]; }));
        CHECK(!(was_interior_tile && interior != members.begin()));
        was_interior_tile |= interior == members.begin();
        all.insert(all.end(), members.begin(), members.end());
      }
      std::sort(all.begin(), all.end());
      CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
      CHECK(static_cast<std::int64_t>(all.size()) ==
            std::count_if(model.components.begin(), model.components.end(),
                          [&](const ComponentRecord& c) { return partition.rank_of(c) == rank; }));
    }
}

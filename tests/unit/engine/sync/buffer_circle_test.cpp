#include "engine/sync/buffer_circle.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using namespace lightrail;

namespace {

BufferPlace at(std::uint32_t component, std::uint16_t port = 0, std::uint16_t lane = 0) {
  return {ComponentId{component}, port, lane};
}

}  // namespace

TEST_CASE("buffers that wait in a row are no circle") {
  CHECK(find_circle({}).empty());
  CHECK(find_circle({{at(0), at(1)}, {at(1), at(2)}, {at(0), at(2)}}).empty());
}

TEST_CASE("the ports and lanes of a component are buffers of their own") {
  CHECK(find_circle({{at(0, 1), at(1)}, {at(1), at(0, 2)}}).empty());
  CHECK(find_circle({{at(0, 1, 0), at(1)}, {at(1), at(0, 1, 1)}}).empty());
}

TEST_CASE("a circle is found behind what only waits for it, and has nothing else") {
  const std::vector<BufferPlace> circle{at(3, 1), at(5, 2), at(4, 0)};
  CHECK(find_circle({{at(5, 2), at(4, 0)},
                     {at(0), at(2)},
                     {at(2), at(3, 1)},
                     {at(4, 0), at(3, 1)},
                     {at(3, 1), at(7)},
                     {at(3, 1), at(5, 2)}}) == circle);
}

TEST_CASE("a buffer may wait for itself") {
  CHECK(find_circle({{at(0), at(1)}, {at(1), at(1)}}) == std::vector<BufferPlace>{at(1)});
}

TEST_CASE("what is found is a circle, and is the same for any order of the edges") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 draw(seed);
    std::vector<BufferEdge> edges(5 + draw() % 20);
    for (BufferEdge& edge : edges)
      edge = {at(static_cast<std::uint32_t>(draw() % 12)), at(static_cast<std::uint32_t>(draw() % 12))};
    const std::vector<BufferPlace> circle = find_circle(edges);
    for (std::size_t i = 0; i < circle.size(); ++i) {
      const BufferEdge edge{circle[i], circle[(i + 1) % circle.size()]};
      CHECK(std::find(edges.begin(), edges.end(), edge) != edges.end());
    }
    std::shuffle(edges.begin(), edges.end(), draw);
    CHECK(find_circle(edges) == circle);
    // Without one, places can be put in an order in which all wait for later ones: take away who waits for
    // none.
    if (!circle.empty()) continue;
    while (!edges.empty()) {
      const std::size_t before = edges.size();
      const std::vector<BufferEdge> all = edges;
      std::erase_if(edges, [&](const BufferEdge& edge) {
        return std::none_of(all.begin(), all.end(),
                            [&](const BufferEdge& other) { return other.from == edge.to; });
      });
      REQUIRE(edges.size() < before);
    }
  }
}

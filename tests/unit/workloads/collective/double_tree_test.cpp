#include "workloads/collective/double_tree.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lightrail {
namespace {

bool has(const std::vector<std::uint32_t>& all, std::uint32_t one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

TEST_CASE("both trees join all nodes below one root, two children at most, about log2 n deep") {
  for (std::uint32_t n = 1; n <= 130; ++n)
    for (std::uint32_t tree : {0u, 1u}) {
      std::uint32_t roots = 0, most = 1;
      while ((1u << most) < n) ++most;
      for (std::uint32_t node = 0; node < n; ++node) {
        const TreePlace place = double_tree(n, node, tree);
        REQUIRE(place.children.size() <= 2);
        for (std::uint32_t child : place.children) REQUIRE(double_tree(n, child, tree).parent == node);
        if (place.parent == TreePlace::none)
          ++roots;
        else
          REQUIRE(has(double_tree(n, place.parent, tree).children, node));
        std::uint32_t depth = 0;
        for (std::uint32_t up = node; double_tree(n, up, tree).parent != TreePlace::none; ++depth)
          up = double_tree(n, up, tree).parent;
        REQUIRE(depth <= most);
      }
      REQUIRE(roots == 1);
    }
}

TEST_CASE("an inner node of one tree is a leaf of the other") {
  for (std::uint32_t n = 4; n <= 64; n += 2)
    for (std::uint32_t node = 0; node < n; ++node) {
      const std::size_t children =
          double_tree(n, node, 0).children.size() + double_tree(n, node, 1).children.size();
      CHECK(children <= 2);
    }
}

TEST_CASE("of eight nodes 0 has 4, 4 has 2 and 6, 2 has 1 and 3") {
  CHECK(double_tree(8, 0, 0).children == std::vector<std::uint32_t>{4});
  CHECK(double_tree(8, 4, 0).children == std::vector<std::uint32_t>{2, 6});
  CHECK(double_tree(8, 2, 0).children == std::vector<std::uint32_t>{1, 3});
  CHECK(double_tree(8, 7, 1).children == std::vector<std::uint32_t>{3});
}

}  // namespace lightrail

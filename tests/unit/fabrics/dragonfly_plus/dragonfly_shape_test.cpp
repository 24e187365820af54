#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "fabrics/dragonfly_plus/dragonfly_shape.hpp"

using namespace lightrail;

namespace {

DragonflySpec asked(std::uint32_t groups, std::uint32_t leaves, std::uint32_t spines,
                    std::uint32_t nics_per_leaf, std::uint32_t global_links) {
  return {groups, leaves, spines, nics_per_leaf, global_links};
}

/// What is wrong with a shape on switches of 8 ports.
std::string problem(const DragonflySpec& spec, std::uint32_t nics) {
  DragonflyShape shape;
  return shape_dragonfly(spec, 8, nics, shape);
}

}  // namespace

TEST_CASE("what is not asked for is half a switch down and half up, with as few groups as hold the NICs") {
  // 8 ports: 4 leaves of 4 NICs, 16 a group; 48 NICs are 3 groups, and 4 spines of 4 global links join 2
  // others with 8 links each.
  DragonflyShape shape;
  REQUIRE(shape_dragonfly({}, 8, 48, shape) == "");
  CHECK(shape.leaves == 4);
  CHECK(shape.spines == 4);
  CHECK(shape.nics_per_leaf == 4);
  CHECK(shape.groups == 3);
  CHECK(shape.global_links == 4);
  CHECK(shape.links_between() == 8);
}

TEST_CASE("where the most links cannot be shared evenly fewer are taken") {
  // 64 NICs: 4 groups, 3 others; 4 spines of 4, 16 links, are not even, of 3 they are: 4 links to each.
  DragonflyShape shape;
  REQUIRE(shape_dragonfly({}, 8, 64, shape) == "");
  CHECK(shape.global_links == 3);
  CHECK(shape.links_between() == 4);
}

TEST_CASE("one group has no global links") {
  DragonflyShape shape;
  REQUIRE(shape_dragonfly({}, 8, 10, shape) == "");
  CHECK(shape.groups == 1);
  CHECK(shape.links_between() == 0);
  CHECK(problem(asked(1, 4, 4, 4, 2), 10) == "one group has no global links");
}

TEST_CASE("both ends of every global link name each other, and each two groups have equally many") {
  for (const auto& [groups, spines, links] :
       {std::tuple{2u, 1u, 1u}, {3u, 4u, 4u}, {4u, 4u, 3u}, {5u, 2u, 4u}, {9u, 4u, 2u}}) {
    CAPTURE(groups, spines, links);
    DragonflyShape shape;
    static_cast<DragonflySpec&>(shape) = asked(groups, 4, spines, 4, links);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> between;
    for (std::uint32_t group = 0; group < groups; ++group)
      for (std::uint32_t spine = 0; spine < spines; ++spine)
        for (std::uint32_t port = 0; port < links; ++port) {
          const DragonflyShape::End near{group, spine, port}, far = shape.far_end(near);
          CHECK(far.group != group);
          CHECK(far.spine < spines);
          CHECK(far.port < links);
          CHECK(shape.far_end(far) == near);
          ++between[{group, far.group}];
        }
    CHECK(between.size() == groups * (groups - 1));
    for (const auto& [pair, count] : between) CHECK(count == shape.links_between());
  }
}

TEST_CASE("a shape that does not fit is refused with its numbers") {
  CHECK(problem(asked(0, 4, 4, 5, 0), 20) == "a leaf of 5 NICs and 4 spines needs 9 ports, the switch has 8");
  CHECK(problem(asked(4, 4, 4, 4, 0), 48) == "48 NICs fill 3 groups of 4 leaves with 4 NICs each, not 4");
  CHECK(problem(asked(1, 9, 4, 4, 0), 36) == "a spine of 9 leaves needs 9 ports, the switch has 8");
  CHECK(problem(asked(3, 4, 4, 4, 5), 48) ==
        "a spine of 4 leaves and 5 global links needs 9 ports, the switch has 8");
  CHECK(problem(asked(4, 4, 4, 4, 2), 64) ==
        "4 spines with 2 global links each cannot join a group evenly with 3 others (8 links)");
  CHECK(problem(asked(12, 4, 1, 4, 0), 192) ==
        "1 spine with up to 4 global links each cannot join a group evenly with 11 others");
  CHECK(problem(asked(0, 1, 8, 1, 0), 1) == "a leaf of 1 NIC and 8 spines needs 9 ports, the switch has 8");
  CHECK(problem(asked(2, 1, 1, 1, 0), 1) == "1 NIC fills 1 group of 1 leaf with 1 NIC each, not 2");
}

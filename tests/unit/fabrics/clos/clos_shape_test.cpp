#include <cstdint>
#include <string>
#include <vector>

#include "fabrics/clos/clos_shape.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

namespace {

ClosShape shape(ClosRequest request, const std::vector<std::uint32_t>& groups) {
  ClosShape result;
  CHECK(shape_clos(request, groups, result) == std::vector<std::string>{});
  return result;
}
std::string problem(ClosRequest request, const std::vector<std::uint32_t>& groups) {
  ClosShape result;
  const auto problems = shape_clos(request, groups, result);
  REQUIRE(problems.size() == 1);
  return problems[0];
}

}  // namespace

TEST_CASE("a leaf of 64 ports splits 32:32, 42:21, 48:16") {
  CHECK(default_down(64, 1) == 32);
  CHECK(uplinks_for(32, 1) == 32);
  CHECK(default_down(64, 2) == 42);
  CHECK(uplinks_for(42, 2) == 21);
  CHECK(default_down(64, 3) == 48);
  CHECK(uplinks_for(48, 3) == 16);
  CHECK(default_down(3, 1) == 1);
}

TEST_CASE("30 servers of 8 rails need 8 leaves and 4 spines with 8 links between each pair") {
  const ClosShape s = shape({64, 2}, {8});
  CHECK((s.down == 32 && s.up == 32 && s.spines == 4 && s.leaf_links == 8));
}

TEST_CASE("two tiers of 64 ports hold 64 leaves on 32 spines") {
  const ClosShape s = shape({64, 2}, {64});
  CHECK((s.spines == 32 && s.leaf_links == 1));
  CHECK_THAT(problem({64, 2}, {65}),
             Catch::StartsWith("65 leaves are more than a spine's 64 ports down can join; use tiers=\"3\""));
}

TEST_CASE("the number of spines is chosen to divide the uplinks") {
  // 5 leaves x 32 uplinks fill 2.5 spines of 64 ports; 3 does not divide 32, so 4.
  CHECK(shape({64, 2}, {5}).spines == 4);
}

TEST_CASE("three tiers of 64 ports hold 64 groups of 1,024 NICs, 65,536 in all") {
  ClosRequest request{64, 3};
  request.leaves_per_group = 32;
  const ClosShape s = shape(request, std::vector<std::uint32_t>(64, 32));
  CHECK((s.spines == 32 && s.leaf_links == 1 && s.spine_up == 32));
  CHECK((s.cores_per_plane == 32 && s.spine_links == 1));
  CHECK_THAT(problem(request, std::vector<std::uint32_t>(65, 32)),
             Catch::Equals("65 groups are more than a core's 64 ports can join"));
}

TEST_CASE("ten groups need 8 cores a plane with 4 links to each") {
  ClosRequest request{64, 3};
  request.leaves_per_group = 32;
  const ClosShape s = shape(request, std::vector<std::uint32_t>(10, 32));
  CHECK((s.cores_per_plane == 8 && s.spine_links == 4));
}

TEST_CASE("tiers without a job are left out") {
  CHECK(shape({64, 2}, {1}).spines == 0);
  ClosRequest request{64, 3};
  request.leaves_per_group = 32;
  CHECK(shape(request, {32}).cores_per_plane == 0);
}

TEST_CASE("numbers that were asked for are checked against the ports") {
  ClosRequest request{64, 2};
  request.spines = 5;
  CHECK(problem(request, {8}) == "32 uplinks of a leaf do not divide among 5 spines");
  request.spines = 2;
  CHECK(problem(request, {8}) ==
        "8 leaves with 16 links to each of 2 spines need 128 ports down of a spine, which has 64");
  request = {64, 2};
  request.nics_per_leaf = 33;
  CHECK(problem(request, {8}) ==
        "a leaf of 33 NICs and 33 uplinks (oversubscription 1) needs 66 ports, the switch has 64");
  request = {64, 3};
  request.leaves_per_group = 32;
  request.cores = 33;
  CHECK(problem(request, {32, 32}) ==
        "33 cores do not divide among 32 planes, one for each spine of a group");
  request.cores = 96;
  CHECK(problem(request, {32, 32}) == "32 uplinks of a spine do not divide among 3 cores of its plane");
  request.cores = 32;
  CHECK(problem(request, std::vector<std::uint32_t>(3, 32)) ==
        "3 groups with 32 links to each core need 96 ports of a core, which has 64");
  request = {64, 1};
  request.nics_per_leaf = 65;
  CHECK(problem(request, {1}) == "65 NICs do not fit on one switch of 64 ports");
}

#include <catch2/catch.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include "engine/base/hash.hpp"
#include "network/routing/port_choice.hpp"
#include "network/routing/routing.hpp"

using namespace lightrail;

TEST_CASE("a lid below a switch goes down to its child, others go up") {
  SwitchRoute route;
  route.down = {{32, 64, 8, 4, 2}};
  route.first_up = 12;
  route.up_count = 3;

  auto child = route.candidates(Lid{41});  // the second child: ports 6 and 7
  REQUIRE(child.count == 2);
  CHECK(child[0] == 6);
  CHECK(child[1] == 7);
  for (std::uint32_t outside : {31u, 64u}) {
    auto up = route.candidates(Lid{outside});
    REQUIRE(up.count == 3);
    CHECK(up[0] == 12);
    CHECK(up[2] == 14);
  }
}

TEST_CASE("a listed route answers with its list and with nothing beyond it") {
  SwitchRoute route;
  route.listed = {{3}, {5, 9}};
  auto ports = route.candidates(Lid{1});
  REQUIRE(ports.count == 2);
  CHECK(ports[0] == 5);
  CHECK(ports[1] == 9);
  CHECK(route.candidates(Lid{2}).count == 0);
}

TEST_CASE(
    "a route that is kept near answers as the route itself, which it asks for what is more than a row") {
  std::array<SwitchRoute, 5> routes;
  routes[0].down = {{32, 64, 8, 4, 2}}, routes[0].first_up = 12, routes[0].up_count = 3;
  routes[1].down = {{0, 64, 16, 0, 1}};
  routes[2].down = {{0, 8, 1, 0, 1}, {40, 48, 2, 8, 2}}, routes[2].first_up = 20, routes[2].up_count = 2;
  routes[3].listed = {{3}, {5, 9}};
  routes[4].down = {{0, 8, 1, 0, 1}};
  GroupRoute groups;
  groups.lids_per_group = 8;
  groups.to_group = {{}, {8, 9}, {10}};
  routes[4].groups = std::make_shared<const GroupRoute>(std::move(groups));
  for (std::size_t r = 0; r < routes.size(); ++r)
    for (std::uint32_t lid = 0; lid < 80; ++lid) {
      const auto far = routes[r].candidates(Lid{lid}), near = NearRoute(&routes[r]).candidates(Lid{lid});
      INFO("route " << r << ", lid " << lid);
      REQUIRE(near.count == far.count);
      for (std::uint32_t i = 0; i < far.count; ++i) CHECK(near[i] == far[i]);
    }
  CHECK(NearRoute(nullptr).candidates(Lid{0}).count == 0);
}

TEST_CASE("a hash's row of ways begins with its own and comes to all before it repeats one") {
  for (const std::uint32_t count : {1u, 2u, 6u, 7u, 8u, 60u})
    for (std::uint64_t draw = 0; draw < 50; ++draw) {
      const std::uint64_t hash = mix64(draw);
      CHECK(spread(hash, count, 0) == spread(hash, count));
      std::set<std::uint32_t> ways;
      for (std::uint32_t i = 0; i < count; ++i) ways.insert(spread(hash, count, i));
      CHECK(ways.size() == count);
      CHECK(*ways.rbegin() == count - 1);
    }
}

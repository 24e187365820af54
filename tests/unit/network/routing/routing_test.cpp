#include <catch2/catch.hpp>

#include <cstdint>

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

#include <catch2/catch.hpp>
#include <string>

#include "network/transport/lane_map.hpp"

using namespace lightrail;

TEST_CASE("a table of lanes has a lane for each level up to its end") {
  LaneMap map;
  REQUIRE(parse_lane_map("0,0,1", map).empty());
  CHECK(map.count == 3);
  CHECK(map.of[0] == 0);
  CHECK(map.of[2] == 1);
  CHECK(map.of[3] == LaneMap::none);
}

TEST_CASE("levels without a table take the lanes in turns, as OpenSM cuts them to the lanes there are") {
  const LaneMap map = LaneMap::in_turns(4);
  CHECK(map.count == max_levels);
  CHECK(map.of[3] == 3);
  CHECK(map.of[4] == 0);
  CHECK(map.of[15] == 3);
}

TEST_CASE("what is no list of lanes is refused") {
  LaneMap map;
  for (const char* text : {"", "0,", ",0", "0;1", "8", "-1", "0, 1", "a"})
    CHECK(parse_lane_map(text, map).find("is no list of lanes 0 ... 7") != std::string::npos);
  CHECK(parse_lane_map("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", map).empty());
  CHECK(parse_lane_map("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", map).find("more than the 16") !=
        std::string::npos);
}

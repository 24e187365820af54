#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "network/transport/congestion_control.hpp"

using namespace lightrail;

TEST_CASE("the table of Mellanox's manager begins with no pause and ends at 57 packets") {
  const std::vector<RateEntry> table = quadratic_table();
  REQUIRE(table.size() == 128);
  CHECK(table[16].multiplier == 0);   // 32.11 (16 / 95)^2 = 0.91
  CHECK(table[17].multiplier == 1);   // 1.03
  CHECK(table[95].multiplier == 32);  // 32.11
  CHECK(table[127].multiplier == 57);
}

TEST_CASE("an entry is so many times of a packet, less two to its shift") {
  CHECK(RateEntry{3, 0}.pause(SimTime{80}) == SimTime{240});
  CHECK(RateEntry{3, 3}.pause(SimTime{80}) == SimTime{30});
  CHECK(RateEntry{0, 0}.pause(SimTime{80}) == SimTime{0});
}

TEST_CASE("a table is read from multipliers, with or without shift") {
  std::vector<RateEntry> table;
  REQUIRE(parse_rate_table("0, 1,3:12", table).empty());
  CHECK(table == std::vector<RateEntry>{{0, 0}, {1, 0}, {12, 3}});
  for (const char* text : {"", "0,", "4:1", "16384", "-1", "1:", ":1", "1;2"})
    CHECK(parse_rate_table(text, table).find("is no list of multipliers") != std::string::npos);
  std::string long_list = "0";
  for (int i = 0; i < 128; ++i) long_list += ",0";
  CHECK(parse_rate_table(long_list, table) == "129 entries are more than the 128 of a table");
}

TEST_CASE("a threshold of n marks above (16 - n) sixteenths of a buffer") {
  CongestionSpec spec;
  spec.threshold = 15;
  CHECK(spec.marked_above(Bytes{512 << 10}) == Bytes{32 << 10});
  spec.threshold = 4;
  CHECK(spec.marked_above(Bytes{1600}) == Bytes{1200});
}

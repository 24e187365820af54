#include "network/health/disjoint_outages.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace lightrail;

TEST_CASE("outages that touch or overlap are made one, in order of time") {
  const auto us = [](std::int64_t n) { return microseconds(n); };
  CHECK(disjoint({{us(7), us(8)}, {us(1), us(3)}, {us(2), us(2)}, {us(2), us(4)}, {us(4), us(5)}}) ==
        std::vector<Outage>{{us(1), us(5)}, {us(7), us(8)}});
  CHECK(disjoint({{us(1), us(9)}, {us(2), us(3)}}) == std::vector<Outage>{{us(1), us(9)}});
  CHECK(disjoint({{us(3), time_never}, {us(1), us(4)}}) == std::vector<Outage>{{us(1), time_never}});
  CHECK(disjoint({}).empty());
}

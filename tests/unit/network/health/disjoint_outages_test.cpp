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

TEST_CASE("what two have in common is what both miss") {
  const auto us = [](std::int64_t n) { return microseconds(n); };
  const std::vector<Outage> one{{us(1), us(3)}, {us(5), us(9)}, {us(20), time_never}};
  const std::vector<Outage> other{{us(3), us(6)}, {us(7), us(8)}, {us(10), us(30)}, {us(40), us(50)}};
  const std::vector<Outage> both{{us(5), us(6)}, {us(7), us(8)}, {us(20), us(30)}, {us(40), us(50)}};
  CHECK(common(one, other) == both);
  CHECK(common(other, one) == both);
  CHECK(common(one, one) == one);
  CHECK(common(one, {}).empty());
}

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>

#include "components/controller/b_matching.hpp"

using namespace lightrail;

namespace {

/// The largest matching_weight of all sets of circuits, by trying them.
class AllCircuits {
 public:
  AllCircuits(const DemandMatrix& demand, const Ports& ports)
      : demand_(demand), free_(ports), circuits_(demand.servers) {}
  std::int64_t most() {
    from(0, 1);
    return most_;
  }

 private:
  void from(std::uint32_t a, std::uint32_t b) {
    if (a + 1 >= demand_.servers) {
      most_ = std::max(most_, matching_weight(demand_, circuits_));
      return;
    }
    if (b >= demand_.servers) return from(a + 1, a + 2);
    from(a, b + 1);
    const std::uint32_t most = std::min(free_[a], free_[b]), n = demand_.servers;
    for (std::uint32_t k = 1; k <= most; ++k) {
      circuits_.add(a, b), --free_[a], --free_[b];
      from(a, b + 1);
    }
    free_[a] += most, free_[b] += most;
    circuits_.count[a * n + b] -= most, circuits_.count[b * n + a] -= most;
  }

  const DemandMatrix& demand_;
  Ports free_;
  CircuitCounts circuits_;
  std::int64_t most_ = 0;
};

/// Even or, to the fourth power, skewed; a quarter of the pairs have none.
DemandMatrix demand_of(std::minstd_rand& random, std::uint32_t n, bool is_skewed) {
  DemandMatrix demand(n);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      const auto x = static_cast<std::int64_t>(1 + random() % 30);
      if (i != j && random() % 4) demand.at(i, j) = is_skewed ? x * x * x * x : x;
    }
  return demand;
}

}  // namespace

TEST_CASE("the weight of circuits counts a pair's bytes over one, two, three circuits") {
  DemandMatrix demand(3);
  demand.at(0, 1) = 40, demand.at(1, 0) = 20, demand.at(2, 1) = 7;
  CircuitCounts circuits(3);
  for (int k = 0; k < 3; ++k) circuits.add(0, 1);
  circuits.add(1, 2), circuits.add(0, 2);
  CHECK(matching_weight(demand, circuits) == 60 + 30 + 20 + 7);
}

TEST_CASE("circuits by matching weigh as much as the best ones of all, in small regions") {
  std::minstd_rand random(41);
  for (int k = 0; k < 500; ++k) {
    const auto n = static_cast<std::uint32_t>(2 + random() % 4);
    Ports ports(n, static_cast<std::uint32_t>(1 + random() % 3));
    if (k % 3 == 0)
      for (std::uint32_t& own : ports) own = static_cast<std::uint32_t>(random() % 4);
    const DemandMatrix demand = demand_of(random, n, k % 2 == 0);
    CAPTURE(k, n, demand.bytes, ports);
    REQUIRE(matching_weight(demand, b_matching(demand, ports)) == AllCircuits(demand, ports).most());
  }
}

TEST_CASE("a heavy pair does not keep two others apart that weigh more together") {
  // A path 0-1-2-3 of 30, 40, 30 with a port each: 30 + 30 against 40. With two ports the middle pair comes
  // too, and each outer pair's second circuit would need its inner server's second port: 15 against 40.
  DemandMatrix demand(4);
  demand.at(0, 1) = demand.at(3, 2) = 30, demand.at(1, 2) = 40;
  CircuitCounts outer(4);
  outer.add(0, 1), outer.add(2, 3);
  CHECK(b_matching(demand, Ports(4, 1)) == outer);
  CHECK(matching_weight(demand, b_matching(demand, Ports(4, 2))) == 30 + 30 + 40);
}

TEST_CASE(
    "beyond the length of trails that are searched a b-matching is no lighter than matchings one by one") {
  // A pair of 12 alone: each of the six ports weighs what is left of it, 12 + 6 + 4 + 3 + 2 + 2.
  DemandMatrix pair(40);
  pair.at(7, 30) = 12;
  CHECK(matching_weight(pair, b_matching(pair, Ports(40, 6))) == 29);
}

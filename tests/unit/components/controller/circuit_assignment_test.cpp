#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "components/controller/circuit_assignment.hpp"
#include "components/controller/matching.hpp"
#include "tests/unit/components/controller/random_demand.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Tokens from EP rank i to expert j, Mixtral 8x7B (MixNet, SIGCOMM 2025); each row sums to 8 x 4096.
DemandMatrix published() {
  const std::int64_t tokens[8][8] = {
      {9810, 5338, 1231, 3042, 4452, 2004, 841, 6050},  {9278, 6282, 839, 3722, 3821, 2903, 909, 5014},
      {10684, 5165, 1044, 2634, 4344, 3333, 675, 4889}, {10897, 5629, 1086, 2114, 2762, 3463, 1059, 5758},
      {8684, 5666, 1046, 3955, 4334, 2952, 944, 5187},  {8361, 5908, 777, 3043, 3984, 3422, 897, 6376},
      {10208, 5507, 1117, 4148, 3967, 3119, 904, 3798}, {9781, 5211, 902, 3343, 4289, 2839, 1008, 5395}};
  DemandMatrix demand(8);
  for (std::uint32_t i = 0; i < 8; ++i)
    for (std::uint32_t j = 0; j < 8; ++j) demand.at(i, j) = tokens[i][j];
  return demand;
}

}  // namespace

TEST_CASE("the published matrix gets 24 circuits, as the authors' code gives them") {
  const CircuitCounts circuits = assign_circuits(Assignment::greedy, published(), 6);
  CHECK(circuits.total() == 24);
  CircuitCounts expected(8);
  for (std::uint32_t a = 0; a < 8; ++a)
    for (std::uint32_t b = a + 1; b < 8; ++b) expected.add(a, b);
  const auto set = [&](std::uint32_t a, std::uint32_t b, std::uint32_t n) {
    expected.count[a * 8 + b] = expected.count[b * 8 + a] = n;
  };
  set(2, 6, 2);
  for (auto [a, b] : {std::pair{0, 5}, {1, 2}, {2, 3}, {4, 6}, {6, 7}})
    set(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), 0);
  CHECK(circuits == expected);
}

TEST_CASE("as printed the algorithm stops at the first bottleneck without free ports") {
  // Expert 0 is hottest: its server's six ports go to the pairs with the longest time, doubled where one
  // circuit leaves a pair ahead of the others; then the bottleneck is at server 0, which is full.
  const CircuitCounts circuits = assign_circuits(Assignment::greedy_printed, published(), 6);
  CHECK(circuits.degree(0) == 6);
  CHECK(circuits.total() < 24);
  // By hand: three servers of two ports; (0,1) has 100, (0,2) 60, (1,2) 50. 0-1, then 0-2 as (0,1) is one
  // circuit's 100 again: the second circuit goes to (0,1), and 0 is full when (0,2) is next.
  DemandMatrix small(3);
  small.at(0, 1) = 100, small.at(0, 2) = 60, small.at(1, 2) = 50;
  const CircuitCounts printed = assign_circuits(Assignment::greedy_printed, small, 2);
  CHECK(printed.at(0, 1) == 2);
  CHECK(printed.total() == 2);
  const CircuitCounts code = assign_circuits(Assignment::greedy, small, 2);
  CHECK(code.at(0, 1) == 1);
  CHECK(code.at(0, 2) == 1);
  CHECK(code.at(1, 2) == 1);
}

TEST_CASE("no assignment uses more ports than there are, joins a server to itself or one way only") {
  std::minstd_rand random(5);
  for (const auto& [name, algorithm] : assignment_choices())
    for (int k = 0; k < 40; ++k) {
      const auto n = static_cast<std::uint32_t>(1 + random() % 20),
                 ports = static_cast<std::uint32_t>(random() % 9);
      const CircuitCounts circuits = assign_circuits(algorithm, random_demand(random, n), ports);
      INFO(name << ", " << n << " servers of " << ports << " ports");
      for (std::uint32_t a = 0; a < n; ++a) {
        CHECK(circuits.degree(a) <= ports);
        CHECK(circuits.at(a, a) == 0);
        for (std::uint32_t b = 0; b < n; ++b) CHECK(circuits.at(a, b) == circuits.at(b, a));
      }
    }
}

TEST_CASE("the uniform assignment differs by one circuit between pairs at most and fills the ports") {
  for (std::uint32_t n : {2u, 4u, 8u, 16u})
    for (std::uint32_t ports : {1u, 6u, 7u, 8u}) {
      const CircuitCounts circuits = assign_circuits(Assignment::uniform, DemandMatrix(n), ports);
      std::uint32_t least = 99, most = 0;
      for (std::uint32_t a = 0; a < n; ++a) {
        CHECK(circuits.degree(a) == ports);
        for (std::uint32_t b = a + 1; b < n; ++b)
          least = std::min(least, circuits.at(a, b)), most = std::max(most, circuits.at(a, b));
      }
      CHECK(most - least <= 1);
    }
}

TEST_CASE("a matching found over subsets weighs as much as the best one found by trying all") {
  std::minstd_rand random(11);
  for (int k = 0; k < 30; ++k) {
    const std::uint32_t n = 6;
    std::vector<std::int64_t> weight(n * n, 0);
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = a + 1; b < n; ++b)
        weight[a * n + b] = weight[b * n + a] = static_cast<std::int64_t>(random() % 50);
    const auto partner = maximum_weight_matching(n, weight);
    std::int64_t found = 0;
    for (std::uint32_t a = 0; a < n; ++a)
      if (partner[a] != no_partner) {
        REQUIRE(partner[partner[a]] == a);
        if (a < partner[a]) found += weight[a * n + partner[a]];
      }
    // The 15 perfect matchings of 6 vertices; with weights of 0 and more one of them is best.
    std::int64_t best = 0;
    std::vector<std::uint32_t> order = {0, 1, 2, 3, 4, 5};
    do {
      std::int64_t sum = 0;
      for (std::uint32_t i = 0; i < n; i += 2) sum += weight[order[i] * n + order[i + 1]];
      best = std::max(best, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(found == best);
  }
}

TEST_CASE("beyond sixteen servers the matching is no worse than taking the heaviest edges first") {
  // A path of weights 3, 4, 3: the heaviest first takes 4; exchanging cannot help, two 3s are found only when
  // both pairs exist. On a complete graph of 20 the result is a perfect matching.
  std::minstd_rand random(3);
  const std::uint32_t n = 20;
  std::vector<std::int64_t> weight(n * n, 0);
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = a + 1; b < n; ++b)
      weight[a * n + b] = weight[b * n + a] = static_cast<std::int64_t>(1 + random() % 1000);
  const auto partner = maximum_weight_matching(n, weight);
  for (std::uint32_t a = 0; a < n; ++a) {
    REQUIRE(partner[a] != no_partner);
    CHECK(partner[partner[a]] == a);
  }
}

TEST_CASE("Birkhoff's permutations add up to the matrix they are made of") {
  std::minstd_rand random(17);
  for (int k = 0; k < 20; ++k) {
    const auto n = static_cast<std::uint32_t>(2 + random() % 9);
    std::vector<std::int64_t> matrix(std::size_t{n} * n);
    for (auto& entry : matrix) entry = static_cast<std::int64_t>(random() % 1000);
    const auto before = matrix;
    fill_up(n, matrix);
    for (std::size_t i = 0; i < matrix.size(); ++i) CHECK(matrix[i] >= before[i]);
    std::vector<std::int64_t> sum(matrix.size(), 0);
    for (const Permutation& part : birkhoff(n, matrix)) {
      CHECK(part.weight > 0);
      for (std::uint32_t i = 0; i < n; ++i) sum[std::size_t{i} * n + part.to[i]] += part.weight;
    }
    CHECK(sum == matrix);
  }
}

TEST_CASE("circuits by demand finish sooner than uniform ones when the demand is uneven") {
  DemandMatrix demand(4);
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b < 4; ++b) demand.at(a, b) = a == b ? 0 : 10;
  demand.at(0, 1) = demand.at(1, 0) = demand.at(2, 3) = 1000;
  // Uniform: one circuit a pair, so 1000. By demand: two or three for the pairs (0,1) and (2,3).
  CHECK(completion(demand, assign_circuits(Assignment::uniform, demand, 3), 2) == 1000);
  for (const Assignment algorithm : {Assignment::matching, Assignment::birkhoff})
    CHECK(completion(demand, assign_circuits(algorithm, demand, 3), 2) <= 1000);
  CHECK(completion(demand, assign_circuits(Assignment::matching, demand, 3), 2) == Approx(1000.0 / 3));
  // One pair without circuit, 100 bytes over two ports of the packet fabric.
  DemandMatrix one(2);
  one.at(0, 1) = 100;
  CHECK(completion(one, CircuitCounts(2), 2) == 50);
}

TEST_CASE("no assignment gives a server more circuits than ports of its own that work") {
  std::minstd_rand random(7);
  for (const auto& [name, algorithm] : assignment_choices())
    for (std::uint32_t n = 2; n <= 9; ++n) {
      Ports ports(n);
      for (std::uint32_t& own : ports) own = static_cast<std::uint32_t>(random() % 7);
      const CircuitCounts circuits = assign_circuits(algorithm, random_demand(random, n), ports);
      for (std::uint32_t a = 0; a < n; ++a) {
        INFO(name << " gives server " << a << " of " << n);
        CHECK(circuits.degree(a) <= ports[a]);
      }
    }
}

TEST_CASE("equal demands leave no server without circuits") {
  DemandMatrix demand(8);
  for (std::uint32_t a = 0; a < 8; ++a)
    for (std::uint32_t b = 0; b < 8; ++b)
      if (a != b) demand.at(a, b) = 1000;
  const CircuitCounts circuits = assign_circuits(Assignment::greedy, demand, 6);
  CHECK(circuits.total() == 24);
  for (std::uint32_t a = 0; a < 8; ++a) CHECK(circuits.degree(a) == 6);
}

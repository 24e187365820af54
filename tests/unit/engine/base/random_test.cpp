#include "engine/base/random.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <set>

#include "engine/base/error.hpp"

using namespace lightrail;

TEST_CASE("the generator is Philox4x32-10 of the known answer") {
  // kat_vectors of Random123 1.14: philox4x32 10, all-zero counter and key.
  r123::Philox4x32_R<10>::ctr_type counter{{0, 0, 0, 0}};
  r123::Philox4x32_R<10>::key_type key{{0, 0}};
  auto block = r123::Philox4x32_R<10>{}(counter, key);
  CHECK(block[0] == 0x6627e8d5);
  CHECK(block[1] == 0xe169c58d);
  // A default Random has key 0 and draw 0.
  CHECK(Random{}.next_u64() == 0xe169c58d6627e8d5ULL);
}

TEST_CASE("seed, component, purpose and draw each change the number") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed : {1, 2})
    for (std::uint32_t component : {0u, 1u, 2u})
      for (std::uint32_t purpose : {0u, 1u}) {
        Random random(seed, ComponentId{component}, purpose);
        for (int draw = 0; draw < 4; ++draw) seen.insert(random.next_u64());
      }
  CHECK(seen.size() == 2 * 3 * 2 * 4);
}

TEST_CASE("equal keys give equal sequences") {
  Random a(7, ComponentId{3}, 1), b(7, ComponentId{3}, 1);
  for (int i = 0; i < 100; ++i) CHECK(a.next_u64() == b.next_u64());
}

TEST_CASE("draws below a bound are even and stay below it") {
  Random random(1, ComponentId{0}, 0);
  int count[6] = {};
  for (int i = 0; i < 60'000; ++i) ++count[random.below(6)];
  for (int c : count) CHECK(std::abs(c - 10'000) < 500);  // 5.5 standard deviations
  CHECK(random.below(1) == 0);
  CHECK_THROWS_AS(random.below(0), ContractError);
}

TEST_CASE("two uniform numbers of one draw are those of their draw and independent") {
  Random random(1, ComponentId{0}, 0), alone(1, ComponentId{0}, 0);
  const int n = 100'000;
  double first = 0, second = 0, product = 0;
  for (int i = 0; i < n; ++i) {
    const auto [u, v] = random.two_uniform();
    CHECK(u == alone.uniform());
    first += u, second += v, product += u * v;
  }
  CHECK(first / n == Approx(0.5).margin(0.005));
  CHECK(second / n == Approx(0.5).margin(0.005));
  CHECK(product / n == Approx(0.25).margin(0.005));
  CHECK(random.next_u64() == alone.next_u64());
}

TEST_CASE("uniform, exponential and normal numbers have their moments") {
  Random random(1, ComponentId{0}, 0);
  const int n = 100'000;
  double uniform = 0, exponential = 0, normal = 0, square = 0, largest = 0;
  for (int i = 0; i < n; ++i) {
    double u = random.uniform();
    largest = std::max(largest, u);
    uniform += u;
    exponential += random.exponential(3.0);
    double x = random.normal(5.0, 2.0);
    normal += x;
    square += (x - 5.0) * (x - 5.0);
  }
  CHECK(largest < 1.0);
  CHECK(uniform / n == Approx(0.5).margin(0.005));
  CHECK(exponential / n == Approx(3.0).margin(0.05));
  CHECK(normal / n == Approx(5.0).margin(0.04));
  CHECK(std::sqrt(square / n) == Approx(2.0).margin(0.03));
  CHECK_THROWS_AS(random.exponential(0), ContractError);
}

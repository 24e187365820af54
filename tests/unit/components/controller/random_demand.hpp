#pragma once
#include <cstdint>
#include <random>

#include "components/controller/circuit_assignment.hpp"
#include "components/controller/matching.hpp"

namespace lightrail::test {

/// A quarter of the pairs have no demand.
inline DemandMatrix random_demand(std::minstd_rand& random, std::uint32_t n) {
  DemandMatrix demand(n);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j)
      if (i != j && random() % 4) demand.at(i, j) = static_cast<std::int64_t>(random() % 100'000);
  return demand;
}

}  // namespace lightrail::test

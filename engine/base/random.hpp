#pragma once
#include <array>
#include <cstdint>

#include "engine/base/id.hpp"

namespace lightrail {

/// Counter-based random numbers: Philox4x32-10 keyed by (seed, component, purpose), counted by draw. The
/// n-th draw of a component depends on nothing else, so ranks and order cannot reach it. Plain: two words.
class Random {
 public:
  Random() = default;
  Random(std::uint64_t seed, ComponentId component, std::uint32_t purpose);
  std::uint64_t next_u64();                      ///< uniform over all 64-bit values
  std::uint64_t below(std::uint64_t bound);      ///< uniform in [0, bound), bound > 0
  double uniform();                              ///< uniform in [0, 1), 53 bits
  std::array<double, 2> two_uniform();           ///< the same twice, for the price of one draw
  double exponential(double mean);               ///< mean > 0
  double normal(double mean, double deviation);  ///< Box-Muller, two draws each

 private:
  std::array<std::uint64_t, 2> next_block();
  std::uint64_t key_ = 0;
  std::uint64_t draw_ = 0;
};

}  // namespace lightrail

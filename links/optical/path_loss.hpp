#pragma once
#include <cstdint>

#include "engine/base/id.hpp"
#include "engine/base/quantity.hpp"

namespace lightrail {

/// What a path through an optical switch loses: the same for all, or with a seeded spread.
struct PathLoss {
  Decibel insertion{0.0};
  Decibel path_spread{0.0};   ///< standard deviation from path to path
  Decibel drift_spread{0.0};  ///< standard deviation of what age and temperature add at each port

  /// Loss from port `in` to port `out` of optical switch `id` [dB]; never below 0.
  [[nodiscard]] Decibel of(std::uint64_t seed, ComponentId id, std::uint16_t in, std::uint16_t out) const;
};

}  // namespace lightrail

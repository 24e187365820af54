#pragma once
#include <array>
#include <cstdint>

#include "network/wire/frame.hpp"

namespace lightrail {

/// Model resource: the shares that virtual lanes have of a line of a NIC or switch while several of them have
/// something to send. Without it a line is given in the order of asking, whatever the lane.
struct LaneWeights {
  static constexpr std::uint32_t max_weight = 255;

  std::array<std::uint8_t, max_lanes> of{1, 1, 1, 1, 1, 1, 1, 1};  ///< 1 ... max_weight
};

}  // namespace lightrail

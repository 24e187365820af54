#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "network/port/buffered_spec.hpp"

namespace lightrail {

/// How many virtual lanes messages may choose among.
struct LaneLimit {
  std::uint32_t lanes = max_lanes;
  /// From a level's lane to its lane of the next class of a routing that takes several against deadlock.
  std::uint32_t per_class = max_lanes;
  std::string of;  ///< which device has no more, for error texts
};

/// Of the device with this Spec; max_lanes and no name where it is neither a NIC nor a packet switch.
[[nodiscard]] LaneLimit lane_limit(const Spec& spec);
/// The least of all NICs and packet switches.
[[nodiscard]] LaneLimit lane_limit(const Model& model);

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <limits>

#include "engine/model/model.hpp"

namespace lightrail {

/// What a sender is rid of though its receiver takes nothing [B]: what the buffer behind its line holds, the
/// least of all GPUs' and NICs'.
struct SendRoom {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  std::int64_t near = unlimited;  ///< NVLink
  std::int64_t far = unlimited;   ///< a NIC's cable
};

[[nodiscard]] SendRoom send_room_of(const Model& model);

}  // namespace lightrail

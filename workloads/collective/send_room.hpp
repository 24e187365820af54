#pragma once
#include <cstdint>
#include <limits>

namespace lightrail {

/// What a sender is rid of though its receiver takes nothing [B]: what the buffer behind its line holds.
struct SendRoom {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  std::int64_t near = unlimited;  ///< NVLink, or PCIe where there is none
  std::int64_t far = unlimited;   ///< a NIC's cable
};

}  // namespace lightrail

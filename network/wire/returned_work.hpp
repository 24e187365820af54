#pragma once
#include <cstdint>

#include "network/wire/frame.hpp"

namespace lightrail {

/// From a NIC back to a device behind it: what it was to send and has not, since its cable is down. The
/// device still has the bytes in its memory.
struct ReturnedWork {
  MessageKind kind = MessageKind::returned_work;
  std::uint8_t lane = 0;             ///< virtual lane of its trains
  std::uint16_t notify : 1 = 0;      ///< the device waits for a SentNotice, which the NIC will not send now
  std::uint16_t is_control : 1 = 0;  ///< a control message; else payload
  std::uint16_t unused : 14 = 0;
  std::uint32_t bytes = 0;  ///< not sent yet [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::returned_work; }
};
static_assert(Message<ReturnedWork>);

}  // namespace lightrail

#pragma once
#include <cstdint>

#include "network/wire/frame.hpp"

namespace lightrail {

/// The timer of a flow that a NIC has sent on a class that may lose it: for acknowledgements.
struct RepairTimer {
  MessageKind kind = MessageKind::repair_timer;
  std::uint8_t unused[7] = {};
  Address address{};  ///< of the flow

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::repair_timer; }
};
static_assert(Message<RepairTimer>);

}  // namespace lightrail

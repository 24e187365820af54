#pragma once
#include <cstdint>

#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

namespace lightrail {

/// Switch -> the switch before it: its way to these lids is no good for so long (InfiniBand's adaptive
/// routing notification).
struct RouteNotice {
  MessageKind kind = MessageKind::route_notice;
  std::uint8_t unused[3] = {};
  std::uint32_t first_lid = 0;
  std::uint32_t lids = 0;     ///< how many, from the first on
  std::uint32_t hold_ns = 0;  ///< [ns]

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::route_notice; }
};
static_assert(Message<RouteNotice>);

}  // namespace lightrail

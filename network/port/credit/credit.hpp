#pragma once
#include <cstdint>

#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

namespace lightrail {

/// The message of credit flow control (network/port/credit): buffer that has become free at the far end of
/// the link it comes from.
struct Credit {
  MessageKind kind = MessageKind::flow_control;
  std::uint8_t lane = 0;  ///< virtual lane
  std::uint16_t unused = 0;
  std::uint32_t bytes = 0;  ///< freed [B]
  std::uint64_t unused_too = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::flow_control; }
};
static_assert(Message<Credit>);

/// In registers, for the events of every train.
[[nodiscard]] inline Payload to_payload(const Credit& credit) {
  return payload_of(static_cast<std::uint8_t>(credit.kind) | std::uint64_t{credit.lane} << 8 |
                        std::uint64_t{credit.bytes} << 32,
                    0);
}

}  // namespace lightrail

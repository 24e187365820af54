#pragma once
#include <cstdint>

#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

namespace lightrail {

/// The message of priority flow control (network/port/pause): stop a class of the link that it comes from for
/// so many quanta of 512 bit times, or let it go on (0 quanta). IEEE 802.1Qbb; one class a frame.
struct PauseFrame {
  /// The smallest frame, 64 B, with preamble (8 B) and gap (12 B): what it takes of the line [B].
  static constexpr std::uint32_t wire_bytes = 84;
  static constexpr std::uint32_t quantum_bits = 512;

  MessageKind kind = MessageKind::flow_control;
  std::uint8_t lane = 0;  ///< class
  std::uint16_t quanta = 0;
  std::uint32_t unused = 0;
  std::uint64_t unused_too = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::flow_control; }
};
static_assert(Message<PauseFrame>);

}  // namespace lightrail

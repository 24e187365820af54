#pragma once
#include <cstdint>

#include "network/wire/connection.hpp"
#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

namespace lightrail {

/// Virtual lanes of a port at most.
inline constexpr std::uint32_t max_lanes = 8;

/// What all kinds that take the time of a line and room in a buffer have alike: trains and control messages,
/// wherever they are. Ports, queues and switches need no more of them, and leave `detail` as it is.
struct Frame {
  MessageKind kind{};
  std::uint8_t lane = 0;     ///< virtual lane
  std::uint16_t detail = 0;  ///< what the kind's own struct makes of it (train.hpp, delegated_train.hpp)
  std::uint32_t bytes = 0;   ///< on the wire [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind) { return true; }
  bool operator==(const Frame&) const = default;
};
static_assert(Message<Frame>);

/// In registers, for the events of every train.
[[nodiscard, gnu::always_inline]] inline Payload to_payload(const Frame& frame) {
  return payload_of(static_cast<std::uint8_t>(frame.kind) | std::uint64_t{frame.lane} << 8 |
                        std::uint64_t{frame.detail} << 16 | std::uint64_t{frame.bytes} << 32,
                    frame.address.word());
}

/// What ports see of a message that travels as frames do.
template <Message T>
[[nodiscard]] Frame frame_of(const T& message) {
  return std::bit_cast<Frame>(message);
}
/// The message that a frame is; its kind must be one that T carries.
template <Message T>
[[nodiscard]] T as(const Frame& frame) {
  const T message = std::bit_cast<T>(frame);
  LIGHTRAIL_EXPECT(T::carries(message.kind));
  return message;
}

}  // namespace lightrail

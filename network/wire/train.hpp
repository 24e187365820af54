#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/base/id.hpp"
#include "engine/model/event.hpp"
#include "network/wire/connection.hpp"
#include "network/wire/frame.hpp"
#include "network/wire/message_kind.hpp"

namespace lightrail {

/// How often a train or work request may be sent again.
inline constexpr std::uint32_t max_retries = 7;
inline constexpr int retry_bits = 3;
static_assert(max_retries < 1u << retry_bits);
/// Train::packets stops there: only trains on NVLink have more.
inline constexpr std::uint32_t max_packets = 4096;
inline constexpr int packet_bits = 13;
static_assert(max_packets < 1u << packet_bits);

/// Packets that `bytes` take, as Train::packets has them.
[[nodiscard]] constexpr std::uint16_t packets_in(std::uint32_t bytes, std::uint32_t mtu_bytes) {
  return static_cast<std::uint16_t>(
      std::min((std::uint64_t{bytes} + mtu_bytes - 1) / mtu_bytes, std::uint64_t{max_packets}));
}

/// A train: packets of one message that follow one another without gap, seen as one event when the head of
/// the first arrives. A control message is a train of one packet. What an optical switch sends back is the
/// train as it came (lost_..., corrupt_...).
struct Train {
  MessageKind kind = MessageKind::train;
  std::uint8_t lane = 0;                    ///< virtual lane
  std::uint16_t packets : packet_bits = 1;  ///< max_packets: so many or more
  std::uint16_t retries : retry_bits = 0;   ///< how often it was sent again
  std::uint32_t bytes = 0;                  ///< on the wire [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    using enum MessageKind;
    return kind == train || kind == control || (kind >= lost_train && kind <= fold);
  }
};
static_assert(Message<Train>);

}  // namespace lightrail

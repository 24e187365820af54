#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "network/wire/frame.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// A work request holds at most so many bytes; longer messages take several.
inline constexpr std::int64_t max_work_bytes = std::int64_t{1} << 30;
static_assert(max_work_bytes <= UINT32_MAX);

/// How long trains are that a message has been cut into before, rounded up to a power of two, in four bits;
/// 0 stands for a message that was not cut.
struct PartCode {
  static constexpr int bits = 4;
  static constexpr std::uint16_t longest_code = (1u << bits) - 1;

  /// Of a train of `bytes`.
  [[nodiscard]] static constexpr std::uint16_t of(std::uint32_t bytes) {
    const int width = std::bit_width(std::max(bytes, 1u) - 1);
    return static_cast<std::uint16_t>(std::clamp(width - 8, 1, int{longest_code}));
  }
  /// Of the trains of a part at most; of the longest ones nothing is known [B].
  [[nodiscard]] static constexpr std::uint32_t longest(std::uint16_t code) {
    return code == longest_code ? UINT32_MAX : std::uint32_t{1} << (code + 8);
  }
};

/// To a NIC from a device behind it: send bytes that the NIC reads over PCIe.
struct WorkRequest {
  MessageKind kind = MessageKind::work_request;
  std::uint8_t lane = 0;                    ///< virtual lane of its trains
  std::uint16_t notify : 1 = 0;             ///< answer with a SentNotice on the port it came in on
  std::uint16_t reduce_in_fabric : 1 = 0;   ///< its trains are MessageKind::reduce
  std::uint16_t is_resent : 1 = 0;          ///< an optical switch could not pass it on: so says its notice
  std::uint16_t is_grown : 1 = 0;           ///< several messages of the connection in one
  std::uint16_t part : PartCode::bits = 0;  ///< a train, or several, of a message that was cut before
  std::uint16_t unused : 5 = 0;
  std::uint16_t retries : retry_bits = 0;  ///< of its one train; others have none
  std::uint32_t bytes = 0;                 ///< at most max_work_bytes [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::work_request; }
};
static_assert(Message<WorkRequest>);

/// `work`, which is for a train, or for what is sent again: a part of a message.
[[nodiscard]] constexpr WorkRequest as_part(WorkRequest work) {
  work.part = PartCode::of(work.bytes) & PartCode::longest_code;
  return work;
}

/// A WorkRequest or control message that waits in the NIC for the message rate, with the port it came in on.
struct DeferredWork {
  static constexpr int port_bits = 10;
  static constexpr std::uint32_t max_port = (1u << port_bits) - 1;

  MessageKind kind = MessageKind::work_request;
  std::uint8_t lane : 3 = 0;
  std::uint8_t port_high : 5 = 0;
  std::uint16_t notify : 1 = 0;
  std::uint16_t reduce_in_fabric : 1 = 0;
  std::uint16_t is_resent : 1 = 0;
  std::uint16_t is_grown : 1 = 0;
  std::uint16_t part : PartCode::bits = 0;
  std::uint16_t port_low : 5 = 0;
  std::uint16_t retries : retry_bits = 0;
  std::uint32_t bytes = 0;
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::work_request || kind == MessageKind::control;
  }
  /// The port, put together from its two parts; at most max_port.
  [[nodiscard]] constexpr std::uint16_t port() const {
    return static_cast<std::uint16_t>(port_low | port_high << 5);
  }
  constexpr void set_port(std::uint32_t port) {
    LIGHTRAIL_EXPECT(port <= max_port);
    port_low = port & 0x1f, port_high = port >> 5 & 0x1f;
  }
};
static_assert(Message<DeferredWork>);
static_assert(max_lanes <= 1u << 3, "DeferredWork::lane");

/// To the poster of a WorkRequest that asked for it: the last byte of it is on the wire.
struct SentNotice {
  MessageKind kind = MessageKind::sent;
  std::uint8_t lane = 0;
  std::uint16_t unused_low : 2 = 0;
  std::uint16_t is_resent : 1 = 0;  ///< of the WorkRequest
  std::uint16_t unused : 13 = 0;
  std::uint32_t bytes = 0;  ///< of the WorkRequest [B]
  Address address{};        ///< of the WorkRequest

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::sent; }
};
static_assert(Message<SentNotice>);

}  // namespace lightrail

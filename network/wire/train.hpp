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

  static constexpr bool carries(MessageKind kind) {
    using enum MessageKind;
    return kind == train || kind == control || (kind >= lost_train && kind <= fold);
  }
};
static_assert(Message<Train>);

using WireKind = MessageKind;

/// In `count` of what a GPU puts on NVLink for another server: the local GPU that it goes to first, its
/// delegate, is the rest of `count`.
inline constexpr std::uint16_t delegate_mark = 0x8000;
/// Beside it: the train passes NVLink by. It takes latency alone, no time of a line and no buffer.
inline constexpr std::uint16_t past_nvlink = 0x4000;
inline bool passes_nvlink_by(const Payload& p) {
  return (p.count & (delegate_mark | past_nvlink)) == (delegate_mark | past_nvlink);
}

/// Trains that are sent again carry how often in the upper bits of `count`, above the number of packets.
inline constexpr int retry_shift = 13;
inline std::uint32_t retries_of(const Payload& p) {
  return p.count >> retry_shift;
}

/// Flags in `count` of a WireKind::message; the upper bits are the retries of its one train, others must be
/// 0.
inline constexpr std::uint16_t notify_sent =
    1;  ///< answer with WireKind::sent on the port the message came in on
inline constexpr std::uint16_t reduce_in_fabric = 2;  ///< its trains are WireKind::reduce
inline constexpr std::uint16_t sent_again = 4;        ///< so is its notice: `count` of WireKind::sent

/// The addressing of trains, messages and control payloads.
inline Payload make_wire(WireKind kind, EndpointId from, EndpointId to, Connection connection,
                         std::uint32_t bytes, std::uint16_t packets, std::uint8_t lane = 0) {
  return Payload{static_cast<std::uint8_t>(kind),
                 lane,
                 packets,
                 bytes,
                 to.value | (connection.value >> 12) << endpoint_bits,
                 from.value | (connection.value & 0xfff) << endpoint_bits};
}
/// Carries payload, and is counted as such.
inline bool is_train(WireKind kind) {
  return is_payload(kind);
}
inline EndpointId to_of(const Payload& p) {
  return EndpointId{p.a & endpoint_mask};
}
inline EndpointId from_of(const Payload& p) {
  return EndpointId{p.b & endpoint_mask};
}
inline Connection connection_of(const Payload& p) {
  return Connection{(p.a >> endpoint_bits) << 12 | p.b >> endpoint_bits};
}
/// What identifies a flow to ECMP and to the receiver.
inline std::uint64_t flow_key(const Payload& p) {
  return flow_of(from_of(p), connection_of(p));
}

}  // namespace lightrail

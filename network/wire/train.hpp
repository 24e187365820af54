#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/base/id.hpp"
#include "engine/model/event.hpp"

namespace lightrail {

/// What a payload on a message-carrying link is.
enum class WireKind : std::uint8_t {
  train = 1,    ///< `count` packets, `bytes` payload bytes in all, of one message; time is the head's arrival
  credit = 2,   ///< flow control: `bytes` of buffer freed on `lane` at the far end of this link
  message = 3,  ///< GPU/host -> NIC work request: send `bytes` from src to dst (the NIC reads them over
                ///< PCIe); `lane` is the virtual lane of its trains, `count` its flags
  control = 4,  ///< small control message (clear-to-send, acknowledgement), routed like a train, not counted
                ///< as payload
  wake = 5,     ///< a component's own timer
  sent = 6,     ///< NIC -> poster: the last byte of that message (same addresses, `bytes`) is on the wire
  // Optical switch -> who sent it light: the train or control message did not get through. Stands for the
  // acknowledgement that does not come: the sender's transport acts on it, not the switch.
  lost_train = 7,        ///< met darkness: sent again when the retransmission timer ends
  lost_control = 8,      ///< the same, a control message
  corrupt_train = 9,     ///< FEC could not correct it: the link replays it
  corrupt_control = 10,  ///< the same, a control message
  reduce = 11,  ///< GPU -> NVSwitch: a train to be added to those of the group's other members of this
                ///< server; the sum goes to dst as a train from dst. NIC -> switch: to those of the members
                ///< at the same place of other servers; the sum goes to each as a train from itself
  multicast = 12,  ///< GPU -> NVSwitch: a train for all members of the group in this server
  fold = 13  ///< GPU -> NVSwitch: a train of a folded ring: when all members of the group have sent theirs,
             ///< as many bytes go to each of them, as trains from the member before it
};

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
inline constexpr std::uint32_t max_retries = 7;
/// `count` of a train: 4,096 stands for that and more, which only NVLink has.
inline std::uint16_t packets_in(std::uint32_t bytes, std::uint32_t mtu_bytes) {
  return static_cast<std::uint16_t>(
      std::min((std::uint64_t{bytes} + mtu_bytes - 1) / mtu_bytes, std::uint64_t{4096}));
}
inline std::uint32_t retries_of(const Payload& p) {
  return p.count >> retry_shift;
}

/// Flags in `count` of a WireKind::message; the upper bits are the retries of its one train, others must be
/// 0.
inline constexpr std::uint16_t notify_sent =
    1;  ///< answer with WireKind::sent on the port the message came in on
inline constexpr std::uint16_t reduce_in_fabric = 2;  ///< its trains are WireKind::reduce
inline constexpr std::uint16_t sent_again = 4;        ///< so is its notice: `count` of WireKind::sent

/// One direction of traffic between two endpoints that is ordered and counted by itself: 24 bits made of the
/// group kind (8), the channel (8) and a phase (8: data, clear-to-send, ...). The receiver knows from its
/// program how many bytes the next message of a connection has, so trains carry no message number.
struct Connection {
  std::uint32_t value = 0;  ///< 24 bits
  static constexpr Connection make(std::uint32_t group_kind, std::uint32_t channel, std::uint32_t phase) {
    return {(group_kind & 0xff) << 16 | (channel & 0xff) << 8 | (phase & 0xff)};
  }
  constexpr std::uint32_t group_kind() const { return value >> 16 & 0xff; }
  constexpr std::uint32_t channel() const { return value >> 8 & 0xff; }
  constexpr std::uint32_t phase() const { return value & 0xff; }
  constexpr auto operator<=>(const Connection&) const = default;
};

/// Endpoints take 20 bits: 1,048,576 GPUs, hosts and storage servers.
inline constexpr std::uint32_t endpoint_bits = 20;
inline constexpr std::uint32_t endpoint_mask = (1u << endpoint_bits) - 1;

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
inline WireKind kind_of(const Payload& p) {
  return static_cast<WireKind>(p.kind);
}
/// Carries payload, and is counted as such.
inline bool is_train(WireKind kind) {
  return kind == WireKind::train || kind == WireKind::reduce || kind == WireKind::multicast ||
         kind == WireKind::fold;
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
/// A connection of `endpoint`, 44 bits.
inline std::uint64_t flow_of(EndpointId endpoint, Connection connection) {
  return std::uint64_t{endpoint.value} << 24 | connection.value;
}
/// What identifies a flow to ECMP and to the receiver.
inline std::uint64_t flow_key(const Payload& p) {
  return flow_of(from_of(p), connection_of(p));
}

}  // namespace lightrail

#pragma once
#include <cstdint>

#include "network/wire/frame.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// A train or control message on a class that may lose it, between two NICs: with its place in the flow,
/// which the packet sequence number of RoCE's base transport header says. Numbers count trains, from 0 on,
/// modulo 2^16; a retransmission has the number that it had. Where a flow has v entropy values (the source
/// port of UDP), a power of two, numbers count in steps of v, and what is below is the value that this
/// sending has.
struct NumberedTrain {
  /// A flow may have so many on the way that one of them is told from its retransmission.
  static constexpr std::uint32_t max_outstanding = 1u << 15;
  /// The same where it has `values`.
  [[nodiscard]] static constexpr std::uint32_t most_outstanding(std::uint32_t values) {
    return max_outstanding / values - 1;
  }
  /// Of a packet whose payload was cut off: the smallest frame, 64 B, with preamble and gap.
  static constexpr std::uint32_t header_bytes = 84;

  MessageKind kind = MessageKind::numbered_train;
  std::uint8_t lane = 0;  ///< virtual lane
  std::uint16_t number = 0;
  std::uint32_t bytes = 0;  ///< on the wire [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::numbered_train || kind == MessageKind::numbered_control ||
           kind == MessageKind::marked_numbered_train || kind == MessageKind::trimmed_train;
  }
  /// `frame`, a train or control message, as the number-th of its flow.
  [[nodiscard]] static NumberedTrain of(const Frame& frame, std::uint16_t number) {
    const bool is_control = frame.kind == MessageKind::control;
    return {.kind = is_control ? MessageKind::numbered_control : MessageKind::numbered_train,
            .lane = frame.lane,
            .number = number,
            .bytes = frame.bytes,
            .address = frame.address};
  }
  /// Its packets' headers, as a switch passes them on that has no room for the payload.
  [[nodiscard]] NumberedTrain trimmed(std::uint32_t mtu_bytes) const {
    NumberedTrain header = *this;
    header.kind = MessageKind::trimmed_train;
    header.bytes = packets_in(bytes, mtu_bytes) * header_bytes;
    return header;
  }
  /// As devices know it.
  [[nodiscard]] Train plain(std::uint32_t mtu_bytes) const {
    Train train{.lane = lane, .bytes = bytes, .address = address};
    if (kind == MessageKind::numbered_control) train.kind = MessageKind::control;
    train.packets = packets_in(bytes, mtu_bytes) & (2 * max_packets - 1);
    return train;
  }
};
static_assert(Message<NumberedTrain>);
static_assert(max_packets < 1u << packet_bits);

/// How far `number` lies behind `other` in a flow, modulo 2^16: negative where it lies before.
[[nodiscard]] constexpr std::int16_t distance(std::uint16_t number, std::uint16_t other) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(number - other));
}

/// From a NIC that has received a numbered train back to the one that sent it, over the fabric.
struct Acknowledgement {
  /// RoCE v2: Ethernet 18, IPv4 20, UDP 8, base transport header 12, extended header (AETH) 4, check 4,
  /// preamble and gap 20.
  static constexpr std::uint32_t wire_bytes = 86;

  MessageKind kind = MessageKind::acknowledgement;
  std::uint8_t lane = 0;  ///< virtual lane
  /// acknowledgement: all before it are there; sequence_error: they are, and one behind it came instead of
  /// it; selective_acknowledgement: this one is there; marked_acknowledgement: the same of one that met
  /// congestion, with go-back-n all before it; trim_notice: it came without its payload.
  std::uint16_t number = 0;
  std::uint32_t bytes = wire_bytes;
  Address address{};  ///< of the train, its ends exchanged

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    using enum MessageKind;
    return (kind >= acknowledgement && kind <= selective_acknowledgement) || kind == trim_notice ||
           kind == marked_acknowledgement;
  }
};
static_assert(Message<Acknowledgement>);

/// The entropy value of a frame whose flow has `values`; 0 where nothing is numbered.
[[nodiscard]] constexpr std::uint32_t entropy_of(const Frame& frame, std::uint32_t values) {
  const bool is_numbered = NumberedTrain::carries(frame.kind) || Acknowledgement::carries(frame.kind);
  return is_numbered ? frame.detail & (values - 1) : 0;
}

/// Whether it says something of trains to who sent them.
[[nodiscard]] constexpr bool is_answer(MessageKind kind) {
  return Acknowledgement::carries(kind) || kind == MessageKind::congestion_notice;
}

/// Whether a device may lose it: the NICs repair that, or do not miss it.
[[nodiscard]] constexpr bool may_be_lost(MessageKind kind) {
  return NumberedTrain::carries(kind) || is_answer(kind) || kind == MessageKind::broken_connection;
}

}  // namespace lightrail

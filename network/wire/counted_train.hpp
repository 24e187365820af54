#pragma once
#include <cstdint>

#include "network/wire/frame.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// A train between two NICs whose receiver is not told of it unless it is the first or last of its batch
/// (ArrivingBatches): a work request, or a part of a long one. It has the kind of a Train, and is used only
/// where nothing on the way asks for packets and retries (may_count_trains()).
struct CountedTrain {
  static constexpr std::uint32_t max_trains = 255, numbers = 128;

  MessageKind kind = MessageKind::train;
  std::uint8_t lane = 0;
  std::uint16_t trains : 8 = 0;      ///< of the batch, in the one that is sent last; in others 0
  std::uint16_t number : 7 = 0;      ///< of the batch, among those that its NIC sent of late
  std::uint16_t is_counted : 1 = 0;  ///< else it is a Train: its highest bit of `retries`
  std::uint32_t bytes = 0;           ///< on the wire [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::train; }
};
static_assert(Message<CountedTrain>);

/// The same as it leaves the receiving NIC, in packets of `mtu_bytes`.
[[nodiscard]] inline Train plain_train(const CountedTrain& train, std::uint32_t mtu_bytes) {
  Train plain{.kind = train.kind, .lane = train.lane, .bytes = train.bytes, .address = train.address};
  plain.packets = packets_in(train.bytes, mtu_bytes) & (2 * max_packets - 1);
  return plain;
}

/// NIC -> GPU: of a batch of trains all but the first, when the head of the last one is here.
struct BatchRest {
  static constexpr int byte_bits = 28;

  MessageKind kind = MessageKind::batch_rest;
  std::uint8_t last_low = 0;
  std::uint16_t last_high = 0;
  std::uint32_t last_top : 4 = 0;
  std::uint32_t bytes : byte_bits = 0;  ///< of all of them [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::batch_rest; }
  [[nodiscard]] static BatchRest of(const Address& address, std::uint32_t bytes, std::uint32_t last) {
    LIGHTRAIL_EXPECT(last <= bytes && bytes < 1u << byte_bits);
    return {.last_low = static_cast<std::uint8_t>(last),
            .last_high = static_cast<std::uint16_t>(last >> 8),
            .last_top = last >> 24 & 0xf,
            .bytes = bytes & ((1u << byte_bits) - 1),
            .address = address};
  }
  /// Of the last one [B].
  [[nodiscard]] std::uint32_t last_bytes() const {
    return last_low | std::uint32_t{last_high} << 8 | std::uint32_t{last_top} << 24;
  }
};
static_assert(Message<BatchRest>);

}  // namespace lightrail

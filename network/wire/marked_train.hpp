#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "network/wire/frame.hpp"
#include "network/wire/numbered_train.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// A train of which switches have marked packets on its way (FECN). It has their number where a Train has all
/// of its packets, which its bytes tell.
struct MarkedTrain {
  MessageKind kind = MessageKind::marked_train;
  std::uint8_t lane = 0;                   ///< virtual lane
  std::uint16_t marks : packet_bits = 1;   ///< packets that are marked (> 0)
  std::uint16_t retries : retry_bits = 0;  ///< as Train has them
  std::uint32_t bytes = 0;                 ///< on the wire [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::marked_train; }
  /// `train`, a plain one or one that is marked, with so many marked packets (> 0).
  [[nodiscard]] static MarkedTrain of(const Frame& train, std::uint32_t marks) {
    Frame frame = train;
    frame.kind = MessageKind::marked_train;
    auto marked = as<MarkedTrain>(frame);
    marked.marks = std::min(marks, max_packets) & (2 * max_packets - 1);
    return marked;
  }
  /// Without its marks, in packets of `mtu_bytes`.
  [[nodiscard]] Train plain(std::uint32_t mtu_bytes) const {
    Train train{.lane = lane, .bytes = bytes, .address = address};
    train.packets = packets_in(bytes, mtu_bytes) & (2 * max_packets - 1);
    train.retries = retries;
    return train;
  }
};
static_assert(Message<MarkedTrain>);

/// Marked packets of a train, as it is here; 0 where it is not marked.
[[nodiscard]] inline std::uint32_t marks_of(const Frame& train) {
  return MarkedTrain::carries(train.kind) ? as<MarkedTrain>(train).marks : 0;
}

/// A train or control message that a failed link did not take, to be sent again: without a mark of this way,
/// in packets of `mtu_bytes`. Nothing for what may be lost.
[[nodiscard]] inline std::optional<Frame> without_mark(const Frame& frame, std::uint32_t mtu_bytes) {
  if (may_be_lost(frame.kind)) return std::nullopt;
  if (!MarkedTrain::carries(frame.kind)) return frame;
  return frame_of(as<MarkedTrain>(frame).plain(mtu_bytes));
}

}  // namespace lightrail

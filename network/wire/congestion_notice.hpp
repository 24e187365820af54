#pragma once
#include <cstdint>

#include "network/wire/frame.hpp"

namespace lightrail {

/// From a NIC that has received marked trains back to the NIC that sent them, over the fabric: the congestion
/// notification packet of InfiniBand, which carries the BECN bit, or of RoCE (CNP).
struct CongestionNotice {
  /// Local route header 8, base transport header 12, reserved 16, checks 4 and 2 (IBTA vol. 1, annex A10).
  static constexpr std::uint32_t wire_bytes = 42;
  /// RoCE v2: Ethernet 18, IPv4 20, UDP 8, base transport header 12, reserved 16, check 4, preamble and
  /// gap 20.
  static constexpr std::uint32_t roce_wire_bytes = 98;

  MessageKind kind = MessageKind::congestion_notice;
  std::uint8_t lane = 0;    ///< virtual lane
  std::uint16_t marks = 1;  ///< packets that were marked (> 0)
  std::uint32_t bytes = wire_bytes;
  Address address{};  ///< of the marked train, its ends exchanged

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::congestion_notice;
  }
};
static_assert(Message<CongestionNotice>);

}  // namespace lightrail

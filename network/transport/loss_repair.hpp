#pragma once
#include <cstdint>

#include "engine/base/time.hpp"
#include "network/transport/retransmission.hpp"

namespace lightrail {

/// What a NIC sends again of a flow of which a class has lost something.
enum class LossRepair : std::uint8_t {
  go_back_n,         ///< everything from the lost packet on; the receiver takes nothing out of order
  selective_repeat,  ///< what is lost alone: what was sent before something that is there
  trimming           ///< what the receiver has only a header of; order says nothing
};

/// How a NIC repairs what classes lose that are not lossless.
struct LossRepairSettings {
  /// The number in what a frame says of it.
  [[nodiscard]] std::uint16_t number_in(std::uint16_t said) const {
    return static_cast<std::uint16_t>(said & ~(entropy_values - 1));
  }
  /// The entropy value in it.
  [[nodiscard]] std::uint16_t value_in(std::uint16_t said) const {
    return static_cast<std::uint16_t>(said & (entropy_values - 1));
  }

  LossRepair repair = LossRepair::go_back_n;
  SimTime timeout = Retransmission::infiniband_timeout;  ///< without an acknowledgement
  std::uint32_t retries = max_retries;                   ///< timeouts in a row
  /// Entropy values of a flow, a power of two: what frames say of their number is a multiple of so much, and
  /// the rest of it their value.
  std::uint32_t entropy_values = 1;
  SimTime error_interval{};  ///< between two sequence errors of one missing packet; 0: there is one only
  /// A message is complete when it has been acknowledged, not when its last byte is on the wire.
  bool completes_by_acknowledgement = false;
  bool tells_marks = false;  ///< with go-back-n acknowledgements say whether their train met congestion, too
};

}  // namespace lightrail

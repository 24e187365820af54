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
  LossRepair repair = LossRepair::go_back_n;
  SimTime timeout = Retransmission::infiniband_timeout;  ///< without an acknowledgement
  std::uint32_t retries = max_retries;                   ///< timeouts in a row
  SimTime error_interval{};  ///< between two sequence errors of one missing packet; 0: there is one only
};

}  // namespace lightrail

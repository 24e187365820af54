#pragma once
#include <cstdint>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"
#include "network/transport/entropy_values.hpp"

namespace lightrail {

/// <nscc>: the window of a flow of Ultra Ethernet, by delay and marks. The defaults are those of
/// configs/congestion/nscc.xml, which has their sources.
struct NsccSpec {
  SimTime base_rtt = microseconds(9);  ///< there and back without a queue, on the longest way
  SimTime target{};                    ///< of queueing delay; 0: three quarters of base_rtt
  double window = 1.5;                 ///< at most so many times what the line carries in a round trip
  double decrease = 0.8;               ///< gamma
  double proportional = 4;             ///< alpha: packets a round trip, for a delay of 0
  double fair = 5;                     ///< packets a round trip
  double steady = 0.15;                ///< eta: packets a round trip, whatever the delay
  double delay_gain = 0.0125;          ///< of the delay's average
  std::uint32_t entropy_values = 32;   ///< of a flow, a power of two; 1: it has one way by ECMP
  PathChoice path_choice = PathChoice::marks;
  std::uint32_t adapt_share = 8;  ///< quick adaptation, where less than this part of the window came

  [[nodiscard]] SimTime target_delay() const { return target > SimTime{0} ? target : base_rtt * 3 / 4; }
};

[[nodiscard]] Describe<NsccSpec> nscc_parameters();

/// Model resource: NICs keep no more of a flow on the way than its window.
struct Nscc {
  NsccSpec spec;
};

}  // namespace lightrail

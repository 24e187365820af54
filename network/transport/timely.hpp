#pragma once
#include <cstdint>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"

namespace lightrail {

/// <timely>: how NICs answer round trips that change. The defaults are those of
/// configs/congestion/timely.xml, which has their sources.
struct TimelySpec {
  SimTime low = microseconds(50);        ///< T_low: shorter round trips always let a rate grow
  SimTime high = microseconds(500);      ///< T_high: longer ones always cut it
  SimTime least_rtt = microseconds(20);  ///< what differences are measured in
  double average = 0.875;                ///< alpha: of the average of differences, what a new one changes
  double decrease = 0.8;                 ///< beta
  BitRate additive{100'000'000};         ///< delta
  BitRate hyper{500'000'000};            ///< ... behind `hyper_after` steps upwards in a row
  std::uint32_t hyper_after = 5;
  BitRate least{1'000'000'000};  ///< no flow is slower
  SimTime round_trip{};          ///< whose bytes a flow may have on the way; 0: no limit
};

[[nodiscard]] Describe<TimelySpec> timely_parameters();

/// Model resource: NICs slow down by how the round trips of acknowledgements grow.
struct Timely {
  TimelySpec spec;
};

}  // namespace lightrail

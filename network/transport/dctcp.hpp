#pragma once
#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"

namespace lightrail {

/// <dctcp>: how NICs answer marked acknowledgements. The defaults are those of configs/congestion/dctcp.xml,
/// which has their sources.
struct DctcpSpec {
  double gain = 1.0 / 16;         ///< g
  BitRate additive{615'000'000};  ///< what a round trip without a cut adds to a rate
  BitRate least{1'000'000'000};   ///< no flow is slower
  SimTime round_trip{};           ///< whose bytes a flow may have on the way; 0: no limit
};

[[nodiscard]] Describe<DctcpSpec> dctcp_parameters();

/// Model resource: acknowledgements tell of marks, and NICs slow down by the share of those that do.
struct Dctcp {
  DctcpSpec spec;
};

}  // namespace lightrail

#pragma once
#include <cstdint>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"

namespace lightrail {

/// <dcqcn>: how NICs answer marks of an Ethernet (ECN). The defaults are those of
/// configs/congestion/dcqcn.xml, which has their sources.
struct DcqcnSpec {
  SimTime notice_interval = microseconds(4);  ///< between two notices (CNP) of a flow
  SimTime alpha_timer = microseconds(1);
  SimTime decrease_timer = microseconds(4);
  SimTime increase_timer = microseconds(300);
  Bytes increase_bytes{32'767 * 64};  ///< sent between two steps upwards; 0: time alone makes steps
  double gain = 5.0 / 1024;           ///< g
  std::uint32_t fast_steps = 1;       ///< F
  BitRate additive{5'000'000};        ///< AI
  BitRate hyper{50'000'000};          ///< HAI
  BitRate least{1'000'000};           ///< R_min
  bool clamps = false;                ///< the target falls to the rate at each decrease
};

[[nodiscard]] Describe<DcqcnSpec> dcqcn_parameters();

/// Model resource: NICs send notices of marked packets, and slow down where they get them. Without it marks
/// are passed over.
struct Dcqcn {
  DcqcnSpec spec;
};

}  // namespace lightrail

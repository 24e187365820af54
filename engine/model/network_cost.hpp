#pragma once
#include "engine/base/quantity.hpp"

namespace lightrail {

/// Model resource, for the summary: what the built network costs and takes. Only scenarios with prices have
/// one.
struct NetworkCost {
  Dollars cost{};
  Watts power{};
  double pj_per_bit = 0;  ///< power over the rate of everything that sends [pJ/bit]
};

}  // namespace lightrail

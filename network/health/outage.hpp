#pragma once
#include "engine/base/time.hpp"

namespace lightrail {

/// A span in which something is down: from `down` (included) to `up` (excluded) [ps]. `up` of time_never: for
/// good.
struct Outage {
  SimTime down{};
  SimTime up = time_never;
  bool operator==(const Outage&) const = default;
};

}  // namespace lightrail

#pragma once
#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// Time that `bytes` occupy a line of `rate`, rounded up to the next picosecond. The one place where
/// bytes are divided by a rate. Needs bytes >= 0 and rate > 0; saturates at time_never.
SimTime transfer_time(Bytes bytes, BitRate rate);

}  // namespace lightrail

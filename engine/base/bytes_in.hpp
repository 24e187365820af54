#pragma once
#include <cstdint>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {

/// Bytes that a line of `rate` carries in `time`, rounded down.
[[nodiscard]] inline std::int64_t bytes_in(SimTime time, BitRate rate) {
  return product_over(time.count(), rate.value, 8'000'000'000'000);
}

}  // namespace lightrail

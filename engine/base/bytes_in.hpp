#pragma once
#include <cstdint>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {

/// Bytes that a line of `rate` carries in `time`, rounded down.
[[nodiscard]] inline std::int64_t bytes_in(SimTime time, BitRate rate) {
  constexpr std::int64_t bits_times_ps_per_second = 8'000'000'000'000;
  std::int64_t product = 0;  // a division of 128 bits costs much more
  if (!__builtin_mul_overflow(time.count(), rate.value, &product)) return product / bits_times_ps_per_second;
  return product_over(time.count(), rate.value, bits_times_ps_per_second);
}

}  // namespace lightrail

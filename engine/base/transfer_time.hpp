#pragma once
#include <cstdint>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// Time that `bytes` occupy a line of `rate`, rounded up to the next picosecond. The one place where
/// bytes are divided by a rate. Needs bytes >= 0 and rate > 0; saturates at time_never.
[[nodiscard]] SimTime transfer_time(Bytes bytes, BitRate rate);

/// The same for a train; rate 0 takes no time. One division of 64 bits where the product fits.
[[nodiscard, gnu::always_inline]] inline SimTime line_time(std::uint32_t bytes, BitRate rate) {
  constexpr std::uint64_t bits_times_ps_per_second = 8'000'000'000'000;
  constexpr std::uint64_t fits = (std::uint64_t{1} << 63) / bits_times_ps_per_second;
  const auto divisor = static_cast<std::uint64_t>(rate.value);
  // The sum below fits with any rate.
  if (bytes > fits) [[unlikely]]
    return transfer_time(Bytes{bytes}, rate);
  if (divisor == 0) return SimTime{0};
  return SimTime{static_cast<std::int64_t>((bytes * bits_times_ps_per_second + divisor - 1) / divisor)};
}

}  // namespace lightrail

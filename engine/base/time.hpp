#pragma once
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace lightrail {

/// Simulated time and durations: a signed 64-bit count of picoseconds (106 days). Never floating point.
using SimTime = std::chrono::duration<std::int64_t, std::pico>;

/// Later than every event; what an empty queue reports as its next time.
inline constexpr SimTime time_never{std::numeric_limits<std::int64_t>::max()};

/// `n` of a unit as simulated time. `n` is not checked: at most 2^63 ps, 106 days.
[[nodiscard]] inline constexpr SimTime picoseconds(std::int64_t n) {
  return SimTime{n};
}
[[nodiscard]] inline constexpr SimTime nanoseconds(std::int64_t n) {
  return SimTime{n * 1'000};
}
[[nodiscard]] inline constexpr SimTime microseconds(std::int64_t n) {
  return SimTime{n * 1'000'000};
}
[[nodiscard]] inline constexpr SimTime milliseconds(std::int64_t n) {
  return SimTime{n * 1'000'000'000};
}

/// Human text with three decimals and the largest fitting unit: "2.100 ms".
[[nodiscard]] std::string format_time(SimTime time);

}  // namespace lightrail

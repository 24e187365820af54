#pragma once
#include <cstdint>
#include <string>

namespace lightrail {

/// Iterations of a run that follow one another, counted from 0.
struct StepRange {
  std::uint32_t first = 0, last = 0;
  bool operator==(const StepRange&) const = default;
};

/// From "3" or "2-4", the value of --check-steps. Throws InputErrors.
[[nodiscard]] StepRange parse_step_range(const std::string& text);

}  // namespace lightrail

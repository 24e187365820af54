#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "network/health/outage.hpp"

namespace lightrail {

/// How often something fails.
struct FaultRate {
  double mtbf_hours = 0;                     ///< mean time that it works until it fails, > 0 [h]
  SimTime repair = time_never;               ///< how long an outage lasts, > 0
  SimTime until = milliseconds(86'400'000);  ///< failures are drawn up to there
};

/// Its outages, by time, disjoint: the time that it works is exponential. A function of these arguments
/// alone, so the same on every rank. `name`: of what fails; `rate_index`: tells rates of one scenario apart.
[[nodiscard]] std::vector<Outage> draw_outages(const FaultRate& rate, std::uint64_t seed,
                                               const std::string& name, std::uint32_t rate_index);

/// How many those are in the mean, at most.
[[nodiscard]] double expected_outages(const FaultRate& rate);

}  // namespace lightrail

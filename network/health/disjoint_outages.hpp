#pragma once
#include <span>
#include <vector>

#include "network/health/outage.hpp"

namespace lightrail {

/// The same spans in order of time, each behind the end of the one before: those that touch or overlap are
/// made one, empty ones are left out. `given` is in any order.
[[nodiscard]] std::vector<Outage> disjoint(std::vector<Outage> given);

/// When both are down; each is as disjoint() makes it, and so is the result.
[[nodiscard]] std::vector<Outage> common(std::span<const Outage> one, std::span<const Outage> other);

}  // namespace lightrail

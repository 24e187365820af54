#pragma once
#include <cstdint>

#include "components/controller/circuit_assignment.hpp"

namespace lightrail {

/// What a b-matching is to make large: each circuit counts what it would carry if its pair had no more of
/// them, the first one a pair's bytes, the second half of them, the third a third, rounded down.
[[nodiscard]] std::int64_t matching_weight(const DemandMatrix& demand, const CircuitCounts& circuits);

/// Circuits of largest matching_weight within each server's ports (maximum-weight b-matching): a
/// maximum-weight matching a port, each on what the ones before left, then improved along alternating trails,
/// which add and take away circuits in turn, until none within a bounded length gains. Optimal where no
/// longer trail would: README.md has how often.
[[nodiscard]] CircuitCounts b_matching(const DemandMatrix& demand, const Ports& ports);

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "workloads/generate/flows/size_distribution.hpp"

namespace lightrail {

/// A message that comes up at a sender, whatever else is on its way.
struct FlowArrival {
  SimTime at{};
  std::uint32_t to = 0;  ///< index among the members
  std::int64_t bytes = 0;
};

/// What each of several members sends the others.
struct FlowTraffic {
  std::uint32_t members = 2;  ///< 2 at least
  BitRate rate{};             ///< of a sender, > 0
  double load = 0.5;          ///< part of it that its flows are on average, > 0
  SimTime duration{};         ///< flows come up before then

  /// Flows of one sender, on average.
  [[nodiscard]] double expected(const SizeDistribution& sizes) const;
};

/// The flows of member `from`, in their order. Gaps are exponential (a Poisson process), receivers any other
/// member, sizes as distributed; they depend on seed and sender alone.
[[nodiscard]] std::vector<FlowArrival> draw_flows(const FlowTraffic& traffic, const SizeDistribution& sizes,
                                                  std::uint32_t from, std::uint64_t seed);

}  // namespace lightrail

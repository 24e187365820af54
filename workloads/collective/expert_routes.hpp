#pragma once
#include <cstdint>

namespace lightrail {

/// How many copies of a token travel when its experts are spread over servers and GPUs: expected values of
/// independent draws, as a gate without aim makes them.
struct ExpertRoutes {
  std::uint32_t experts = 8;  ///< of one token (top-k)
  std::uint32_t groups = 4;   ///< servers that a token's experts are on at most (group-limited gate)

  /// Probability that a token has any expert behind a door that `share` of the copies go through, among
  /// `servers` servers: with f = groups / servers (at most 1), f (1 - (1 - share / f)^experts).
  [[nodiscard]] double reach(double share, std::uint32_t servers) const;
};

}  // namespace lightrail

#pragma once
#include <cstdint>

namespace lightrail {

/// How messages of a connection use its queue pairs.
enum class QueuePairUse : std::uint8_t {
  turns,  ///< in chunks, each by the queue pair after that of the one before
  split,  ///< in equal parts, one a queue pair
  least   ///< in chunks, each by the queue pair that has the fewest bytes under way
};

/// How the source ports of a connection's queue pairs are chosen, on which ECMP hashes.
enum class QueuePairWays : std::uint8_t {
  hashed,   ///< as they come: any two may share a way
  disjoint  ///< so that no two share a way at a switch that all of them pass, while it has ways enough
};

}  // namespace lightrail

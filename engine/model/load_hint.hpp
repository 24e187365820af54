#pragma once
#include <cstdint>

namespace lightrail {

/// What the workload, and a fabric by messages, tell the partitioner; a resource of the model. Changes no
/// result.
struct LoadHint {
  bool is_pipelined = false;           ///< parts of the model wait for others, as the stages of a pipeline do
  std::uint32_t exchange_servers = 1;  ///< over which one all-to-all goes at most: they work at once
  bool has_long_links = false;         ///< links between pods stand for whole paths, and make windows long
};

}  // namespace lightrail

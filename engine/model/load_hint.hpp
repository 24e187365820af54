#pragma once
#include <cstdint>

namespace lightrail {

/// What the workload tells the partitioner; a resource of the model. Changes no result.
struct LoadHint {
  bool is_pipelined = false;           ///< parts of the model wait for others, as the stages of a pipeline do
  std::uint32_t exchange_servers = 1;  ///< over which one all-to-all goes at most: they work at once
};

}  // namespace lightrail

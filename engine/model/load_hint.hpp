#pragma once

namespace lightrail {

/// What the workload tells the partitioner; a resource of the model. Changes no result.
struct LoadHint {
  bool is_pipelined = false;  ///< parts of the model wait for others, as the stages of a pipeline do
};

}  // namespace lightrail

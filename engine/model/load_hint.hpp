#pragma once

namespace lightrail {

/// What the workload tells the partitioner; a resource of the model. Changes no result.
struct LoadHint {
  bool works_in_turns = false;  ///< parts of the model wait for others, as the stages of a pipeline do
};

}  // namespace lightrail

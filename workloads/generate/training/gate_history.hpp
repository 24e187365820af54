#pragma once
#include <cstdint>
#include <map>

#include "workloads/generate/training/load_predictor.hpp"

namespace lightrail {

/// What a stage's gates have done so far: what is expected of them follows from it, over iterations too.
struct GateHistory {
  /// The split matrix of a layer's dispatch, and the micro-batch that had it, counted from the step's first.
  struct Dispatched {
    std::uint16_t split = 0;
    std::int64_t micro_batch = -1;
  };
  std::map<std::int64_t, Dispatched> dispatched;     ///< the last one of each of the model's layers
  std::map<std::int64_t, LoadPredictor> predictors;  ///< by layer of the model

  /// A step of so many micro-batches has ended.
  void end_step(std::int64_t micro_batches) {
    for (auto& [layer, last] : dispatched) last.micro_batch -= micro_batches;
  }
};

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <optional>

#include "engine/model/network_cost.hpp"

namespace lightrail {

/// Data-parallel replicas that each simulated one stands for: the whole cluster has so many times its GPUs,
/// traffic and energy. A Model resource; absent where all are simulated.
struct FoldFactor {
  std::uint32_t times = 1;
  std::int64_t gpus = 0;  ///< of the part
  bool has_stand_ins =
      false;  ///< by formula: tables are of some GPUs of the part, which stand for the others
  std::optional<NetworkCost> network;  ///< of the whole, as built; nothing: `times` the part's
};

}  // namespace lightrail

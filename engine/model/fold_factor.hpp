#pragma once
#include <cstdint>

namespace lightrail {

/// Data-parallel replicas that each simulated one stands for: the whole cluster has so many times its GPUs,
/// traffic, energy and network. A Model resource; absent where all are simulated, and by formula, where one
/// GPU stands for others of the part, too.
struct FoldFactor {
  std::uint32_t times = 1;
};

}  // namespace lightrail

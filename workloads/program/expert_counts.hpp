#pragma once
#include <cstdint>

namespace lightrail {

/// Op::peer of an all-to-all of experts: what a model says about the experts of a token. 0: nothing is said.
struct ExpertCounts {
  std::int64_t experts = 0;  ///< that a token goes to, 1 ... max_experts
  std::int64_t servers = 0;  ///< that they are on at most, up to max_servers; 0: any number

  static constexpr std::int64_t max_experts = (1 << 17) - 1, max_servers = (1 << 13) - 1;

  /// experts + servers * (max_experts + 1), as Op::peer holds it.
  [[nodiscard]] std::int32_t packed() const {
    return static_cast<std::int32_t>(experts + servers * (max_experts + 1));
  }
  [[nodiscard]] static ExpertCounts of(std::int32_t packed) {
    return {packed % (max_experts + 1), packed / (max_experts + 1)};
  }
};

}  // namespace lightrail

#pragma once
#include <cstdint>

#include "engine/model/model.hpp"

namespace lightrail {

/// The shortest trains of links of one kind.
struct TrainSize {
  std::uint32_t packets = 0;       ///< 0: no such link
  std::uint32_t packet_bytes = 0;  ///< [B]

  [[nodiscard]] std::int64_t bytes() const { return std::int64_t{packets} * packet_bytes; }
};

/// Of the links that serialise, those of NVLink or all others: the train with the fewest bytes, which is
/// where messages have the most.
[[nodiscard]] TrainSize smallest_train(const Model& model, bool is_nvlink);

}  // namespace lightrail

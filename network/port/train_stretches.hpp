#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/time.hpp"

namespace lightrail {

/// Trains that begin in [from, to) have so many packets at most.
struct TrainStretch {
  SimTime from{}, to = time_never;
  std::uint32_t packets = 1;         ///< on PCIe and fabric links
  std::uint32_t nvlink_packets = 1;  ///< on NVLink
};

/// The parts of a run whose trains are shorter than elsewhere (<run><stretch>). A Model resource.
class TrainStretches {
 public:
  /// One after the other, none into the next.
  explicit TrainStretches(std::vector<TrainStretch> in_order) : all_(std::move(in_order)) {}

  [[nodiscard]] const std::vector<TrainStretch>& all() const { return all_; }
  /// The stretch that `time` lies in; null: none.
  [[nodiscard]] const TrainStretch* at(SimTime time) const {
    const auto later = std::upper_bound(all_.begin(), all_.end(), time,
                                        [](SimTime t, const TrainStretch& each) { return t < each.from; });
    if (later == all_.begin()) return nullptr;
    const TrainStretch& last = *std::prev(later);
    return time < last.to ? &last : nullptr;
  }

 private:
  std::vector<TrainStretch> all_;
};

}  // namespace lightrail

#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// Trains that begin in [from, to) have so many packets at most.
struct TrainStretch {
  SimTime from{}, to = time_never;
  std::uint32_t packets = 1;         ///< on PCIe and fabric links
  std::uint32_t nvlink_packets = 1;  ///< on NVLink
  /// Whose trains these are, servers'; empty: everybody's. Models that are made of another one keep the
  /// numbers of servers, which come first, and may add atoms behind.
  std::vector<bool> atoms = {};

  [[nodiscard]] bool has(AtomId atom) const {
    return atoms.empty() || (atom.value < atoms.size() && atoms[atom.value]);
  }
  /// Whether some train lies in both.
  [[nodiscard]] bool overlaps(const TrainStretch& other) const;
};

/// The parts of a run whose trains are shorter than elsewhere (<run><stretch>). A Model resource.
class TrainStretches {
 public:
  /// In the order of `from`; none overlaps another.
  explicit TrainStretches(std::vector<TrainStretch> in_order);

  [[nodiscard]] const std::vector<TrainStretch>& all() const { return all_; }
  /// Those of trains that components of `atom` send; null: none.
  [[nodiscard]] const TrainStretches* of(AtomId atom) const;
  /// The stretch that `time` lies in, of stretches of one atom; null: none.
  [[nodiscard]] const TrainStretch* at(SimTime time) const {
    const auto later = std::upper_bound(all_.begin(), all_.end(), time,
                                        [](SimTime t, const TrainStretch& each) { return t < each.from; });
    if (later == all_.begin()) return nullptr;
    const TrainStretch& last = *std::prev(later);
    return time < last.to ? &last : nullptr;
  }

 private:
  std::vector<TrainStretch> all_;
  std::map<std::vector<bool>, std::unique_ptr<const TrainStretches>> some_;  ///< by which of all_ they have
};

}  // namespace lightrail

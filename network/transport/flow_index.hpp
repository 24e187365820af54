#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/hash.hpp"
#include "engine/base/prefetch.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// Key -> slot of the flows that are active now: an open-addressing table in one array that never shrinks, so
/// a steady state allocates nothing. Never iterated, so its order reaches no result.
class FlowIndex {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  [[nodiscard]] std::uint32_t find(std::uint64_t key) const;  ///< none: not there
  void insert(std::uint64_t key, std::uint32_t slot);         ///< key must not be there
  void erase(std::uint64_t key);                              ///< key must be there
  /// The slot of key, 0 where it is new. The reference lasts until the next change.
  std::uint32_t& at(std::uint64_t key);
  void prefetch(std::uint64_t key) const {
    if (!cells_.empty()) prefetch_line(&cells_[home(key)]);
  }

  void save(StateWriter& out) const { out.put(cells_), out.put(count_); }
  void load(StateReader& in) { in.get(cells_), in.get(count_); }

 private:
  struct Cell {
    std::uint64_t key = 0;
    std::uint32_t slot = none;
    std::uint32_t unused = 0;
  };
  [[nodiscard]] std::size_t home(std::uint64_t key) const { return mix64(key) & (cells_.size() - 1); }
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const;
  void grow();

  std::vector<Cell> cells_;  ///< a power of two, at most half full
  std::uint64_t count_ = 0;
};

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// Consecutive rows of one component in one interval, after sorting.
struct RowRun {
  std::int64_t interval = 0, component = 0, rows = 0;
  auto operator<=>(const RowRun&) const = default;
};

/// The rows of one table that this rank has not written yet.
class RowBuffer {
 public:
  explicit RowBuffer(std::size_t width) : width_(width) {}

  void append(std::int64_t interval, ComponentId component, SimTime time, std::span<const std::int64_t> row);
  std::size_t rows() const { return keys_.size(); }

  /// Rows in the order (interval, component, time, sequence), component in front: (width + 1) values a row.
  /// `runs` says whose they are. Leaves the buffer empty.
  std::vector<std::int64_t> take_sorted(std::vector<RowRun>& runs);

 private:
  struct Key {
    std::int64_t interval, time;
    std::uint32_t component;
  };
  std::size_t width_;
  std::vector<Key> keys_;
  std::vector<std::int64_t> values_;
};

}  // namespace lightrail

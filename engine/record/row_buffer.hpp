#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// Consecutive rows of one component in one interval, after sorting.
struct RowRun {
  std::int64_t interval = 0, component = 0, rows = 0;
  auto operator<=>(const RowRun&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
};

/// The rows of one table that this rank has not written yet.
class RowBuffer {
 public:
  explicit RowBuffer(std::size_t width) : width_(width) {}

  void append(std::int64_t interval, ComponentId component, SimTime time, std::span<const std::int64_t> row);
  [[nodiscard]] std::size_t rows() const { return keys_.size(); }
  [[nodiscard]] std::size_t rows_before(std::int64_t interval) const;

  static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  /// Takes the rows of intervals before `before`, in the order (interval, component, time, sequence),
  /// component in front: (width + 1) values a row. `runs` says whose they are.
  std::vector<std::int64_t> take_sorted(std::vector<RowRun>& runs, std::int64_t before = any);

  [[nodiscard]] ComponentId component(std::size_t row) const { return ComponentId{keys_[row].component}; }
  void save(std::size_t row, StateWriter& out) const;
  /// Appends a saved row.
  void load(std::int64_t interval, ComponentId component, StateReader& in);

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

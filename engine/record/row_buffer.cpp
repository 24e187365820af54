#include "engine/record/row_buffer.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "engine/base/error.hpp"

namespace lightrail {

void RowBuffer::append(std::int64_t interval, ComponentId component, SimTime time,
                       std::span<const std::int64_t> row) {
  LIGHTRAIL_EXPECT(row.size() == width_);
  keys_.push_back({interval, time.count(), component.value});
  values_.insert(values_.end(), row.begin(), row.end());
}

std::vector<std::int64_t> RowBuffer::take_sorted(std::vector<RowRun>& runs) {
  std::vector<std::size_t> order(keys_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Stable: a component's rows of equal time keep the order in which it made them.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    const Key &a = keys_[x], &b = keys_[y];
    return std::tie(a.interval, a.component, a.time) < std::tie(b.interval, b.component, b.time);
  });
  runs.clear();
  std::vector<std::int64_t> sorted;
  sorted.reserve(order.size() * (width_ + 1));
  for (std::size_t i : order) {
    const Key& key = keys_[i];
    if (runs.empty() || runs.back().interval != key.interval || runs.back().component != key.component)
      runs.push_back({key.interval, key.component, 0});
    ++runs.back().rows;
    sorted.push_back(key.component);
    sorted.insert(sorted.end(), values_.begin() + static_cast<std::ptrdiff_t>(i * width_),
                  values_.begin() + static_cast<std::ptrdiff_t>((i + 1) * width_));
  }
  keys_.clear();
  values_.clear();
  return sorted;
}

}  // namespace lightrail

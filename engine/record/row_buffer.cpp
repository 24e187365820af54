#include "engine/record/row_buffer.hpp"

#include <algorithm>
#include <tuple>

#include "engine/base/error.hpp"

namespace lightrail {

void RowBuffer::append(std::int64_t interval, ComponentId component, SimTime time,
                       std::span<const std::int64_t> row) {
  LIGHTRAIL_EXPECT(row.size() == width_);
  keys_.push_back({interval, time.count(), component.value});
  values_.insert(values_.end(), row.begin(), row.end());
}

std::size_t RowBuffer::rows_before(std::int64_t interval) const {
  return static_cast<std::size_t>(
      std::count_if(keys_.begin(), keys_.end(), [&](const Key& key) { return key.interval < interval; }));
}

std::vector<std::int64_t> RowBuffer::take_sorted(std::vector<RowRun>& runs, std::int64_t before) {
  std::vector<std::size_t> order;
  order.reserve(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (keys_[i].interval < before) order.push_back(i);
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
  // What stays keeps its order.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].interval < before) continue;
    keys_[kept] = keys_[i];
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(i * width_), width_,
                values_.begin() + static_cast<std::ptrdiff_t>(kept * width_));
    ++kept;
  }
  keys_.resize(kept);
  values_.resize(kept * width_);
  return sorted;
}

void RowBuffer::save(std::size_t row, StateWriter& out) const {
  out.put(keys_[row].time);
  for (std::size_t c = 0; c < width_; ++c) out.put(values_[row * width_ + c]);
}

void RowBuffer::load(std::int64_t interval, ComponentId component, StateReader& in) {
  std::int64_t time = 0;
  in.get(time);
  keys_.push_back({interval, time, component.value});
  for (std::size_t c = 0; c < width_; ++c) in.get(values_.emplace_back());
}

}  // namespace lightrail

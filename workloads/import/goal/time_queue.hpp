#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/time.hpp"

namespace lightrail {

/// Events by their time `at`, those of one time by their `number` (each once at a time). Ranks of a symmetric
/// schedule do the same at the same time: a heap holds different times alone, and events of one lie in a row
/// in which they mostly come up in order.
template <class Event>
class TimeQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }

  void push(const Event& event) {
    ++size_;
    Row& row = row_of(event.at);
    const bool is_in_order = row.events.empty() || row.events.back().number < event.number;
    if (is_in_order)
      row.events.push_back(event);
    else
      row.early.push(event);
  }

  /// The first of all, which leaves. Not empty.
  Event pop() {
    --size_;
    Row& row = rows_[places_.find(times_.top())->second];
    const bool is_early = !row.early.empty() && (row.next == row.events.size() ||
                                                 row.early.top().number < row.events[row.next].number);
    const Event event = is_early ? row.early.top() : row.events[row.next];
    if (is_early)
      row.early.pop();
    else
      ++row.next;
    if (row.next == row.events.size() && row.early.empty()) leave(row);
    return event;
  }

 private:
  struct IsLater {
    bool operator()(const Event& a, const Event& b) const { return a.number > b.number; }
  };
  struct Row {
    std::vector<Event> events;  ///< in order
    std::size_t next = 0;       ///< of events: the first that has not left
    std::priority_queue<Event, std::vector<Event>, IsLater> early;  ///< that came up behind a later one
  };

  Row& row_of(SimTime at) {
    if (const auto found = places_.find(at); found != places_.end()) return rows_[found->second];
    times_.push(at);
    if (free_.empty()) {
      rows_.emplace_back();
      free_.push_back(static_cast<std::uint32_t>(rows_.size() - 1));
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    places_.emplace(at, place);
    return rows_[place];
  }

  /// Nothing is left of the first time.
  void leave(Row& row) {
    row.events.clear();
    row.next = 0;
    const auto found = places_.find(times_.top());
    free_.push_back(found->second);
    places_.erase(found);
    times_.pop();
  }

  struct HashOfTime {
    std::size_t operator()(SimTime time) const { return std::hash<std::int64_t>()(time.count()); }
  };

  std::priority_queue<SimTime, std::vector<SimTime>, std::greater<>> times_;  ///< of which there is a row
  std::unordered_map<SimTime, std::uint32_t, HashOfTime> places_;             ///< nothing goes through it
  std::vector<Row> rows_;
  std::vector<std::uint32_t> free_;  ///< rows without events
  std::size_t size_ = 0;
};

}  // namespace lightrail

#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/time.hpp"

namespace lightrail {

/// A link between two things that may share a group.
struct GroupLink {
  SimTime latency;
  std::uint32_t from, to;
};

/// Links of one latency stay in their order.
inline void put_shortest_first(std::vector<GroupLink>& links) {
  std::stable_sort(links.begin(), links.end(),
                   [](const GroupLink& x, const GroupLink& y) { return x.latency < y.latency; });
}

/// Disjoint sets of numbered things that must stay together; the smallest member stands for a group.
class Groups {
 public:
  explicit Groups(std::vector<std::int64_t> weights) : parent_(weights.size()), weights_(std::move(weights)) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t find(std::uint32_t member) {
    while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
    return member;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    a = find(a), b = find(b);
    if (a == b) return;
    if (b < a) std::swap(a, b);
    parent_[b] = a;
    heaviest_ = std::max(heaviest_, weights_[a] += weights_[b]);
  }
  [[nodiscard]] std::int64_t weight(std::uint32_t representative) const { return weights_[representative]; }
  [[nodiscard]] std::int64_t heaviest() const { return heaviest_; }  ///< of those with several members

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::int64_t> weights_;
  std::int64_t heaviest_ = 0;
};

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lightrail {

/// Operation of each node, by its number in the trace. Runs of rising numbers take 24 bytes whatever their
/// length, so that a trace of a hundred million nodes fits.
class NodeIndex {
 public:
  /// False when the number is there already.
  bool add(std::uint64_t node, std::uint32_t op);
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t node) const;

 private:
  struct Run {
    std::uint64_t first = 0;
    std::uint32_t op = 0;
    std::uint64_t count = 0;
  };
  std::vector<Run> runs_;
  std::unordered_map<std::uint64_t, std::uint32_t> others_;
};

/// Hands out the nodes of a graph as soon as all that they depend on were handed out: in the order of the
/// file where that is possible, and a node that waits right after the last one that it waited for (several:
/// in the order of the file). Only waiting nodes take memory.
template <class Node>
class StreamedDag {
 public:
  /// `emit` makes the operation of a node from the operations it depends on.
  using Emit = std::function<std::uint32_t(const Node&, const std::vector<std::uint32_t>&)>;
  explicit StreamedDag(Emit emit) : emit_(std::move(emit)) {}

  /// False when the number is used twice.
  bool add(std::uint64_t id, std::vector<std::uint64_t> after, Node node) {
    if (done_.find(id) || waiting_.contains(id)) return false;
    Waiting w{std::move(node), std::move(after), next_++, 0};
    for (std::uint64_t on : w.after)
      if (!done_.find(on)) ++w.missing, waiters_[on].push_back(id);
    if (w.missing > 0) {
      waiting_.emplace(id, std::move(w));
      return true;
    }
    finish(id, w);
    while (!ready_.empty()) {
      const std::uint64_t next = ready_.top().second;
      ready_.pop();
      auto it = waiting_.extract(next);
      finish(next, it.mapped());
    }
    return true;
  }

  [[nodiscard]] bool is_complete() const { return waiting_.empty(); }
  /// Of an incomplete graph: the first node of the file that waits for one that does not exist, and that one;
  /// or, when they wait for each other, the first node that waits, twice.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> stuck() const {
    std::uint64_t place = next_, first_place = next_, first = 0;
    std::pair<std::uint64_t, std::uint64_t> found;
    for (const auto& [id, w] : waiting_) {
      if (w.place < first_place) first_place = w.place, first = id;
      for (std::uint64_t on : w.after)
        if (w.place < place && !done_.find(on) && !waiting_.contains(on)) place = w.place, found = {id, on};
    }
    return place < next_ ? found : std::pair{first, first};
  }
  [[nodiscard]] const Node& waiting(std::uint64_t id) const { return waiting_.at(id).node; }

 private:
  struct Waiting {
    Node node;
    std::vector<std::uint64_t> after;
    std::uint64_t place = 0, missing = 0;
  };
  void finish(std::uint64_t id, const Waiting& w) {
    std::vector<std::uint32_t> ops;
    for (std::uint64_t on : w.after) ops.push_back(*done_.find(on));
    done_.add(id, emit_(w.node, ops));
    auto waiters = waiters_.extract(id);
    if (waiters.empty()) return;
    for (std::uint64_t waiter : waiters.mapped()) {
      Waiting& other = waiting_.at(waiter);
      if (--other.missing == 0) ready_.emplace(other.place, waiter);
    }
  }

  Emit emit_;
  NodeIndex done_;
  std::unordered_map<std::uint64_t, Waiting> waiting_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> waiters_;
  std::priority_queue<std::pair<std::uint64_t, std::uint64_t>,
                      std::vector<std::pair<std::uint64_t, std::uint64_t>>, std::greater<>>
      ready_;
  std::uint64_t next_ = 0;
};

}  // namespace lightrail

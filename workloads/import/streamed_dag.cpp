#include "workloads/import/streamed_dag.hpp"

#include <algorithm>

namespace lightrail {

bool NodeIndex::add(std::uint64_t node, std::uint32_t op) {
  if (find(node)) return false;
  if (!runs_.empty()) {
    Run& last = runs_.back();
    if (node == last.first + last.count && op == last.op + last.count) {
      ++last.count;
      return true;
    }
    if (node < last.first + last.count) return others_.emplace(node, op).second;
  }
  runs_.push_back({node, op, 1});
  return true;
}

std::optional<std::uint32_t> NodeIndex::find(std::uint64_t node) const {
  auto after = std::upper_bound(runs_.begin(), runs_.end(), node,
                                [](std::uint64_t n, const Run& run) { return n < run.first; });
  if (after != runs_.begin()) {
    const Run& run = *(after - 1);
    if (node - run.first < run.count) return run.op + static_cast<std::uint32_t>(node - run.first);
  }
  auto it = others_.find(node);
  if (it == others_.end()) return std::nullopt;
  return it->second;
}

}  // namespace lightrail

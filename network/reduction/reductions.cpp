#include "network/reduction/reductions.hpp"

#include <algorithm>
#include <numeric>

namespace lightrail {

std::uint32_t Reductions::add(std::uint64_t flow, PortIndex port, std::uint32_t bytes,
                              std::span<const PortIndex> contributors) {
  std::uint32_t slot = index_.find(flow);
  if (slot == FlowIndex::none) {
    slot = static_cast<std::uint32_t>(ahead_.size() / ports_);
    ahead_.resize(ahead_.size() + ports_);
    flows_.push_back(flow);
    index_.insert(flow, slot);
  }
  std::int64_t* ahead = &ahead_[std::size_t{slot} * ports_];
  ahead[port] += bytes;
  std::int64_t complete = ahead[port];
  for (PortIndex p : contributors) complete = std::min(complete, ahead[p]);
  if (complete > 0)
    for (PortIndex p : contributors) ahead[p] -= complete;
  return static_cast<std::uint32_t>(complete);
}

std::int64_t Reductions::waiting_bytes() const {
  return std::accumulate(ahead_.begin(), ahead_.end(), std::int64_t{0});
}

}  // namespace lightrail

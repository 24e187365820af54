#include "network/transport/notice_pacer.hpp"

namespace lightrail {

bool NoticePacer::is_due(std::uint64_t flow, SimTime interval, SimTime now) {
  const std::uint32_t slot = index_.find(flow);
  if (slot == FlowIndex::none) {
    index_.insert(flow, static_cast<std::uint32_t>(last_.size()));
    last_.push_back(now);
    return true;
  }
  if (now < last_[slot] + interval) return false;
  last_[slot] = now;
  return true;
}

}  // namespace lightrail

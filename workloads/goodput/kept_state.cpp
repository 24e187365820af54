#include "workloads/goodput/kept_state.hpp"

#include <algorithm>

namespace lightrail {

void KeptState::train(const CheckpointCycle& cycle, SimTime elapsed) {
  const SimTime committed = cycle.after(elapsed).committed;
  if (committed > SimTime{}) {
    is_in_memory_ = true;
    lost_.clear(), gaps_.clear();
  }
  if (plan_.storage_every > 0 && elapsed > plan_.storage_write) {
    const SimTime written = done_ + cycle.after(elapsed - plan_.storage_write).committed;
    stored_ = std::max(stored_, written / work_ / plan_.storage_every * plan_.storage_every * work_);
  }
  done_ += committed;
}

bool KeptState::lose(std::span<const std::uint32_t> servers) {
  const bool had_it = is_in_memory_;
  for (const std::uint32_t server : servers)
    if (lost_.insert(server).second && ++gaps_[server / plan_.copies] == plan_.copies) is_in_memory_ = false;
  return had_it && !is_in_memory_;
}

SimTime KeptState::fall_back() {
  if (is_in_memory_) return {};
  const SimTime undone = done_ - stored_;
  done_ = stored_;
  return undone;
}

}  // namespace lightrail

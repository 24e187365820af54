#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "engine/base/time.hpp"
#include "workloads/goodput/checkpoint_cycle.hpp"
#include "workloads/goodput/goodput_plan.hpp"

namespace lightrail {

/// Where the state of a job that saves to servers' memories is while weeks of it are played. What a write to
/// storage has not finished when something fails does not count.
class KeptState {
 public:
  /// `work`: of a segment of the cycle that the job trains by.
  KeptState(const MemoryCopies& plan, SimTime work) : plan_(plan), work_(work) {}

  /// It has trained for `elapsed` since the state was restored, until something failed.
  void train(const CheckpointCycle& cycle, SimTime elapsed);
  /// These servers are replaced. True: memory has no state any more since then.
  bool lose(std::span<const std::uint32_t> servers);
  /// If memory has none, work that was committed and is undone: what storage does not have. Once.
  [[nodiscard]] SimTime fall_back();
  [[nodiscard]] bool is_in_memory() const { return is_in_memory_; }

 private:
  MemoryCopies plan_;
  SimTime work_;
  SimTime done_{}, stored_{};  ///< work of the state that training goes on from; that of the one in storage
  bool is_in_memory_ = false;
  std::set<std::uint32_t> lost_;                 ///< servers that keep nothing
  std::map<std::uint32_t, std::uint32_t> gaps_;  ///< by group: how many of them
};

}  // namespace lightrail

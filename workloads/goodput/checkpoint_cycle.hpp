#pragma once
#include <cstdint>

#include "engine/base/time.hpp"
#include "workloads/goodput/goodput_plan.hpp"

namespace lightrail {

/// Training from a restored state until something fails: segments of work, each with a checkpoint behind it.
/// While one is written in the background the next segment runs at speed_while_saving; a segment that ends
/// before that write waits for it, as there is one write at a time.
class CheckpointCycle {
 public:
  /// What some time since the state was restored went into: work, stall and slowed add up to it.
  struct Progress {
    SimTime work{};       ///< training at full speed would take as long
    SimTime stall{};      ///< blocked, or waiting for the write before
    SimTime slowed{};     ///< what work beside writes took longer
    SimTime committed{};  ///< of the work: a failure now leaves as much
  };

  /// `work`: of a segment, > 0.
  CheckpointCycle(const JobCheckpoint& plan, SimTime work);

  [[nodiscard]] Progress after(SimTime elapsed) const;
  /// Of a segment in the long run, its checkpoint included.
  [[nodiscard]] SimTime segment() const { return segment_; }

 private:
  SimTime work_, blocking_, write_;
  double speed_;
  SimTime full_speed_after_{};  ///< work of a segment that runs beside the write before it
  SimTime training_{};          ///< time that a segment trains, the first one apart
  SimTime segment_{};
};

}  // namespace lightrail

#include "workloads/goodput/checkpoint_cycle.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

SimTime scaled(SimTime time, double factor) {
  return SimTime{std::llround(static_cast<double>(time.count()) * factor)};
}

}  // namespace

CheckpointCycle::CheckpointCycle(const JobCheckpoint& plan, SimTime work)
    : work_(work), blocking_(plan.blocking), write_(plan.write), speed_(plan.speed_while_saving) {
  LIGHTRAIL_EXPECT(work > SimTime{0} && speed_ > 0 && speed_ <= 1);
  full_speed_after_ = std::min(work_, scaled(write_, speed_));
  training_ = full_speed_after_ < work_ ? write_ + (work_ - full_speed_after_) : scaled(work_, 1 / speed_);
  segment_ = std::max(training_, write_) + blocking_;
}

CheckpointCycle::Progress CheckpointCycle::after(SimTime elapsed) const {
  // The first segment runs beside no write.
  if (elapsed <= work_) return {elapsed, {}, {}, {}};
  if (elapsed < work_ + blocking_) return {work_, elapsed - work_, {}, {}};
  const SimTime since_first = elapsed - work_ - blocking_;
  const std::int64_t more = since_first / segment_;
  const SimTime in_segment = since_first % segment_;
  const SimTime trained = std::min(in_segment, training_);
  const SimTime slow = std::min(trained, write_);
  const SimTime slow_work = std::min(full_speed_after_, scaled(slow, speed_));
  Progress progress;
  progress.work = (more + 1) * work_ + slow_work + (trained - slow);
  progress.slowed = more * (training_ - work_) + (slow - slow_work);
  progress.stall = elapsed - progress.work - progress.slowed;
  progress.committed = (in_segment >= write_ ? more + 1 : more) * work_;
  return progress;
}

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "components/gpu/execution/step_clock.hpp"
#include "components/gpu/execution/step_record.hpp"
#include "components/gpu/transport/sent_payload.hpp"
#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "engine/model/whole_run.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Counts in the iterations that a job steps over (SteppedIterations): each is as the second of the two that
/// are compared, and as long as the slowest GPU's; what a faster one has left of that time is idle. Where all
/// GPUs have been alike in both, iteration by iteration, and nothing is drawn anew, the figures are those of
/// the whole job. The last iteration is simulated: behind it nothing begins that could meet it.
class IterationStretch {
 public:
  /// What a GPU has done until the end of an iteration.
  struct Figures {
    StepClock::Activity activity;
    SentPayload sent;
  };

  explicit IterationStretch(const SteppedIterations& by) : by_(by) {}

  /// `record`: as it was simulated.
  void end_iteration(StepRecord record, Figures figures);

  void raise_largest(std::vector<std::int64_t>& largest) const;
  void hear_largest(std::span<const std::int64_t> largest);

  /// After hear_largest(), as all that follows. False: some GPU has not ended its last iteration, and nothing
  /// is counted in.
  [[nodiscard]] bool is_whole() const { return period_ > SimTime{0}; }
  /// The slowest GPU's second compared iteration.
  [[nodiscard]] SimTime period() const { return period_; }
  /// Every iteration of the job, of those that were simulated. These may be longer than they were, all
  /// GPUs' by the same times, where they step over a part of each.
  [[nodiscard]] std::vector<StepRecord> all(std::vector<StepRecord> simulated) const;
  /// Without what the steps themselves step over.
  [[nodiscard]] std::span<const StepRecord> simulated() const { return steps_; }
  /// Of the two that are compared: the largest difference of anything that this GPU spent time on.
  [[nodiscard]] SimTime difference() const;
  /// In what is counted in.
  [[nodiscard]] SentPayload sent() const;
  [[nodiscard]] StepClock::Activity activity() const;
  [[nodiscard]] WholeRun whole_run() const;

  [[nodiscard]] const SteppedIterations& by() const { return by_; }
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  SteppedIterations by_;
  std::vector<StepRecord> steps_;
  Figures one_;       ///< until the first compared one has ended; then of the second
  SimTime period_{};  ///< 0: not heard
};

}  // namespace lightrail

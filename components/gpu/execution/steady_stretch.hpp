#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "components/gpu/execution/exposed_time.hpp"
#include "components/gpu/execution/step_clock.hpp"
#include "components/gpu/execution/step_record.hpp"
#include "components/gpu/transport/sent_payload.hpp"
#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Counts in what a program steps over (SteppedOver): a GPU goes on as it did in the second half of the
/// measured periods (the first half shows whether they were alike), for as much longer as the slowest GPU's
/// periods say, since all wait for that one. What a faster one has left of that time is idle. With exactly
/// periodic operation the figures are those of the whole program; else they are those of one whose every
/// period left out is the mean of those halves.
class SteadyStretch {
 public:
  /// What a GPU has done until a marker.
  struct Figures {
    SimTime at{};
    StepClock::Totals split;
    std::vector<ExposedTime::Part> uses;
    SentPayload sent;
  };
  /// An iteration that was simulated.
  struct Step {
    StepRecord record;
    SimTime begin{}, middle{}, end{};  ///< when the markers were passed
    StepClock::Totals first;           ///< between the first two of them
    StepClock::Totals split;           ///< between the last two of them
    std::vector<ExposedTime::Part> uses;
  };

  explicit SteadyStretch(const SteppedOver& stepped_over) : stepped_over_(stepped_over) {}

  [[nodiscard]] bool is_marker(std::uint32_t op) const {
    return op == stepped_over_.begin || op == stepped_over_.middle || op == stepped_over_.end;
  }
  /// The marker `op` has ended.
  void pass(std::uint32_t op, Figures figures);
  void end_step(StepRecord record);

  void raise_largest(std::vector<std::int64_t>& largest) const;
  void hear_largest(std::span<const std::int64_t> largest);

  /// After hear_largest(): how long iteration `i` goes on where the program steps over.
  [[nodiscard]] SimTime added_to(std::size_t i) const;
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  [[nodiscard]] StepRecord whole_step(std::size_t i) const;
  [[nodiscard]] std::vector<StepRecord> whole_steps() const;
  /// Of all iterations, what was sent in what was stepped over.
  [[nodiscard]] SentPayload sent() const;
  [[nodiscard]] const SteppedOver& stepped_over() const { return stepped_over_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  SteppedOver stepped_over_;
  Figures middle_;
  Step open_;         ///< the iteration that runs
  SentPayload sent_;  ///< between the last two markers, of all iterations that have ended
  SentPayload open_sent_;
  std::vector<Step> steps_;
  std::vector<SimTime> slowest_;  ///< by iteration: between the last two markers, of all GPUs
};

}  // namespace lightrail

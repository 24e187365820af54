#pragma once
#include <mpi.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "app/cli/step_range.hpp"
#include "engine/model/model.hpp"
#include "engine/model/recorder.hpp"
#include "engine/partition/partition.hpp"
#include "engine/sync/simulation.hpp"

namespace lightrail {

/// When some iterations that follow one another begin and end, told by rows of the table steps; hands all
/// rows on to another recorder. What a job does again after a restart does not count.
class StepSpan final : public Recorder {
 public:
  static constexpr std::int64_t all_rows = std::numeric_limits<std::int64_t>::max();

  /// `to`: null: rows go nowhere. `which`: the first alone unless told. `gpus`: once so many of this rank
  /// have ended the last of these iterations it is full.
  explicit StepSpan(Recorder* to, StepRange which = {}, std::int64_t gpus = all_rows)
      : to_(to), which_(which), full_at_(gpus) {}
  [[nodiscard]] SimTime interval() const override { return to_ ? to_->interval() : time_never; }
  void append(TableId table, ComponentId component, SimTime time, std::span<const std::int64_t> row) override;
  void flush(SimTime boundary) override {
    if (to_) to_->flush(boundary);
  }
  void check() override {
    if (to_) to_->check();
  }
  [[nodiscard]] bool is_full() const override { return span_.gpus >= full_at_; }
  void save(StateWriter& run, const std::string& folder) override {
    if (to_) to_->save(run, folder);
  }
  void save_rows(ComponentId component, StateWriter& out) override {
    if (to_) to_->save_rows(component, out);
  }
  void load(StateReader& run, const std::string& folder) override {
    if (to_) to_->load(run, folder);
  }
  void load_rows(ComponentId component, StateReader& in) override {
    if (to_) to_->load_rows(component, in);
  }

  struct Span {
    SimTime start = time_never, end{};
    std::int64_t gpus = 0;         ///< that have ended the last of them
    SimTime compute{}, exposed{};  ///< of all of them together
    SimTime begin = time_never;    ///< of the run's first iteration
  };
  [[nodiscard]] const Span& of_this_rank() const { return span_; }
  /// Over all ranks. Collective.
  [[nodiscard]] Span span(MPI_Comm comm) const;

 private:
  Recorder* to_;
  StepRange which_;
  std::int64_t full_at_;
  Span span_;
};

/// A run of which nothing is kept but some of its steps.
struct StepRun {
  StepSpan::Span step;  ///< over all ranks; of no GPUs: none has ended the last of them
  std::int64_t events = 0;
  double wall_s = 0;  ///< of building and running [s]
  SimTime end{};      ///< of the last event

  [[nodiscard]] SimTime length() const { return step.end - step.start; }
};
/// Runs `model` as `options` say and looks at the iterations `which`, without checkpoints and progress; ends
/// when `gpus` of each rank (StepSpan) have ended them. Collective over `comm`.
[[nodiscard]] StepRun run_step(const Model& model, const Partition& partition, RunOptions options,
                               MPI_Comm comm, StepRange which = {}, std::int64_t gpus = StepSpan::all_rows);

}  // namespace lightrail

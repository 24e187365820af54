#pragma once
#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "app/cli/build_model.hpp"
#include "app/cli/command_line.hpp"
#include "app/cli/run_detail.hpp"
#include "app/cli/stages.hpp"
#include "engine/model/recorder.hpp"
#include "engine/record/grain_check.hpp"

namespace lightrail {

/// When the first iteration begins and ends, told by rows of the table steps; hands all rows on to another
/// recorder.
class FirstStep final : public Recorder {
 public:
  /// `to`: null: rows go nowhere.
  explicit FirstStep(Recorder* to) : to_(to) {}
  [[nodiscard]] SimTime interval() const override { return to_ ? to_->interval() : time_never; }
  void append(TableId table, ComponentId component, SimTime time, std::span<const std::int64_t> row) override;
  void flush(SimTime boundary) override {
    if (to_) to_->flush(boundary);
  }
  void check() override {
    if (to_) to_->check();
  }
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
    std::int64_t gpus = 0;         ///< that have ended it
    SimTime compute{}, exposed{};  ///< of all of them together
  };
  [[nodiscard]] const Span& of_this_rank() const { return span_; }
  /// Over all ranks. Collective.
  [[nodiscard]] Span span(MPI_Comm comm) const;

 private:
  Recorder* to_;
  Span span_;
};

/// The same system with trains of at most --check-grain packets, those of NVLink shortened in proportion.
class FinerRun {
 public:
  /// Throws InputErrors where `model`, the one of the run itself, has no longer trains.
  FinerRun(const ReadScenario& scenario, const Registry& registry, CommandLine line, const Model& model,
           int ranks);

  /// Runs until the first iteration has ended or three times as long as in the run itself, where it took
  /// `step`. None: it had not ended there on all GPUs, or a signal came. Collective.
  [[nodiscard]] std::optional<GrainCheck> check(const FirstStep& step, const MpiSession& mpi) const;

 private:
  std::uint32_t packets_;
  Model model_;
  Partition partition_;
  RunOptions options_;
};

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <optional>

#include "app/cli/build_model.hpp"
#include "app/cli/command_line.hpp"
#include "app/cli/run_detail.hpp"
#include "app/cli/stages.hpp"
#include "app/cli/step_range.hpp"
#include "app/cli/step_span.hpp"
#include "engine/record/grain_check.hpp"

namespace lightrail {

/// The same system with trains of at most --check-grain packets, those of NVLink shortened in proportion; of
/// a run by messages or formula the system in trains.
class FinerRun {
 public:
  /// Throws InputErrors where `model`, the one of the run itself, has trains but no longer ones, or not the
  /// iterations that are asked for, or jobs that may do them again.
  FinerRun(const ReadScenario& scenario, const Registry& registry, CommandLine line, const Model& model,
           int ranks);

  /// Those of --check-steps.
  [[nodiscard]] StepRange steps() const { return steps_; }
  /// Runs until these iterations have ended or three times as long as in the run itself, where they took
  /// `step`. None: they had not ended there on all GPUs, in a job's first attempt, or a signal came.
  /// Collective.
  [[nodiscard]] std::optional<GrainCheck> check(const StepSpan& step, const MpiSession& mpi) const;

 private:
  std::uint32_t packets_;
  StepRange steps_;
  std::optional<std::int64_t> gpus_;  ///< that execute the last of them in the run itself; none: by formula
  Model model_;
  Partition partition_;
  RunOptions options_;
};

}  // namespace lightrail

#pragma once
#include <string>

#include "app/cli/build_model.hpp"
#include "app/cli/check_grain.hpp"
#include "app/cli/command_line.hpp"
#include "app/cli/goodput_run.hpp"
#include "app/cli/stages.hpp"
#include "engine/record/summary.hpp"

namespace lightrail {

/// Where the result goes: --out, else <output file>, else the scenario's file name with .h5 in the working
/// folder.
[[nodiscard]] std::string result_path(const CommandLine& line, const Model& model);

/// `goodput`: is played at the end of a complete run, and its result written.
[[nodiscard]] RecorderOptions recorder_options(const CommandLine& line, const Scenario& scenario,
                                               const Model& model, GoodputRun* goodput = nullptr);

/// Runs the model, then `finer` where there is one, and ends the result file whatever happens: a run that
/// fails leaves status "failed" in it. With a `goodput` that needs no simulation nothing runs.
[[nodiscard]] Summary simulate(const Model& model, const Partition& partition, const CommandLine& line,
                               const MpiSession& mpi, Hdf5Recorder& recorder, const FinerRun* finer = nullptr,
                               const GoodputRun* goodput = nullptr);

/// Exit code of a run by its status.
[[nodiscard]] ExitCode exit_code_of(const Summary& summary);

/// Rank 0 prints the summary, what `goodput` came to, the deadlock report, and writes --summary.
void report(const Summary& summary, const CommandLine& line, const std::string& file, const MpiSession& mpi,
            const GoodputRun* goodput = nullptr);

}  // namespace lightrail

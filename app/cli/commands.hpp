#pragma once
#include <functional>
#include <string>

#include "app/cli/build_model.hpp"
#include "app/cli/command_line.hpp"
#include "app/cli/stages.hpp"
#include "engine/record/summary.hpp"

namespace lightrail {

[[nodiscard]] ExitCode print_help(const CommandLine& line, const MpiSession& mpi);
[[nodiscard]] ExitCode print_version(const MpiSession& mpi);

/// Every mistake, or one line that there is none; then --map, --dot, --budget.
[[nodiscard]] ExitCode validate(CommandLine line, const MpiSession& mpi);

/// One kind, or all; --format text or xsd.
[[nodiscard]] ExitCode describe(const CommandLine& line, const MpiSession& mpi);

/// trace import kineto FILE... --out T.h5 | trace generate SCENARIO --out T.h5 | trace show T.h5
[[nodiscard]] ExitCode trace(const CommandLine& line, const MpiSession& mpi);

/// system import infragraph FILE [NAME=VALUE...] [--out SCENARIO]
[[nodiscard]] ExitCode import_system_command(const CommandLine& line, const MpiSession& mpi);

/// Where the time of one result's step went; of two: what differs in input and output.
[[nodiscard]] ExitCode explain(const CommandLine& line, const MpiSession& mpi);

/// The first step by formula, by messages, in trains and by packets, as far as each can be afforded.
[[nodiscard]] ExitCode ladder(CommandLine line, const MpiSession& mpi);

/// Ways to spread the scenario's model over its GPUs, the fastest first; --out: all of them as CSV.
[[nodiscard]] ExitCode plan(CommandLine line, const MpiSession& mpi);

/// catalogue list [KIND] | catalogue search WORD... | catalogue show ENTRY
[[nodiscard]] ExitCode catalogue(const CommandLine& line, const MpiSession& mpi);

/// A scenario from options, or from answers on the terminal; overwrites nothing.
[[nodiscard]] ExitCode create(const CommandLine& line, const MpiSession& mpi);

/// The points of <sweep>, a line each: number and settings.
[[nodiscard]] ExitCode list_sweep(const CommandLine& line, const MpiSession& mpi);
/// All of them one after another; `run` runs one. A point whose system fails (exit code 3) does not keep the
/// others from running; any other code ends the sweep. Returns the largest code.
[[nodiscard]] ExitCode run_sweep(const CommandLine& line, const MpiSession& mpi,
                                 const std::function<ExitCode(CommandLine)>& run);
/// The points as processes of their own, `program` each (docs/sweeps.md). Needs no MPI, which must not be
/// initialised where other MPI programs are to be started.
[[nodiscard]] ExitCode sweep_as_study(const CommandLine& line, const std::string& program);
/// The command line of point --case.
[[nodiscard]] CommandLine sweep_point(CommandLine line);

/// nccl-tests' columns when the workload is a collective benchmark; nothing otherwise.
void print_benchmark(const Summary& summary, const Model& model, const CommandLine& line,
                     const MpiSession& mpi);

}  // namespace lightrail

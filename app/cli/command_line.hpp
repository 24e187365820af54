#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/options.hpp"
#include "app/cli/step_range.hpp"
#include "app/create/new_scenario.hpp"
#include "engine/partition/partition.hpp"
#include "engine/record/hdf5_recorder.hpp"
#include "engine/sync/simulation.hpp"

namespace lightrail {

/// What `lightrail sweep` was told of runs in processes of their own (--jobs, --merge).
struct StudyLine {
  bool is_asked_for = false, only_merges = false, keeps_results = true;
  std::size_t jobs = 0, retries = 0;     ///< jobs 0: one for each core
  std::vector<std::string> launch;       ///< words before the program
  std::vector<std::string> only;         ///< NAME=VALUE
  std::vector<std::string> run_options;  ///< for `lightrail run`: everything but where its files go
  std::vector<std::string> deciding;     ///< those of them, without --set, that change results
};

/// What was typed, checked.
struct CommandLine {
  Command command = Command::help;
  std::string help;                     ///< text to print for Command::help
  std::string typed;                    ///< the whole line, for the result file
  std::vector<std::string> positional;  ///< scenario, kind, trace files ...
  std::vector<std::string> settings;    ///< --set
  std::vector<std::string> plugins;
  std::vector<std::string> algorithm_files;  ///< paths; known once the model is built
  std::string catalogue, out, summary_file, resume, format = "text";
  std::uint64_t seed = 0;
  bool has_seed = false, map = false, dot = false, budget = false, bom = false, list = false, json = false;
  std::int64_t sweep_case = -1;  ///< --case; -1: all points
  std::string point;             ///< "-3" for point 3 of a sweep, in the names of its files
  StudyLine study;
  NewOptions create;
  bool create_is_told = false;  ///< some option of lightrail new was given
  RecordMode io = RecordMode::automatic;
  PartitionPlan partition;
  std::vector<int> predict_ranks;
  std::uint32_t check_grain = 0;           ///< packets; 0: not asked for
  StepRange check_steps;                   ///< which iterations it looks at
  double longest_rung_s = 120;             ///< wall time
  std::vector<std::string> over;           ///< NAME=VALUE,VALUE: clusters that plans are looked for on
  std::uint32_t best = 3, most = 300;      ///< plans that are run in trains, by formula
  std::int64_t reserve_bytes = 4ll << 30;  ///< of a GPU's memory, that no plan may take
  ForecastNetwork network;
  RunOptions run;
};

/// Throws InputErrors for unknown commands and options (with did-you-mean), options that the command does not
/// have, bad values, a missing scenario.
[[nodiscard]] CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/options.hpp"
#include "engine/partition/partition.hpp"
#include "engine/record/hdf5_recorder.hpp"
#include "engine/sync/simulation.hpp"

namespace lightrail {

/// What was typed, checked.
struct CommandLine {
  Command command = Command::help;
  std::string help;                     ///< text to print for Command::help
  std::string typed;                    ///< the whole line, for the result file
  std::vector<std::string> positional;  ///< scenario, kind, trace files ...
  std::vector<std::string> settings;    ///< --set
  std::vector<std::string> plugins;
  std::string catalogue, out, summary_file, resume, format = "text";
  std::uint64_t seed = 0;
  bool has_seed = false, map = false, dot = false, budget = false, bom = false, list = false;
  std::int64_t sweep_case = -1;
  IoMode io = IoMode::automatic;
  PartitionPlan partition;
  std::vector<int> predict_ranks;
  ForecastNetwork network;
  RunOptions run;

  /// Whether `describe` was given a file, not a name: something with a slash, or that ends in .xml.
  [[nodiscard]] bool describes_scenario() const {
    return !positional.empty() &&
           (positional.front().find('/') != std::string::npos || positional.front().ends_with(".xml"));
  }
};

/// Throws InputErrors for unknown commands and options (with did-you-mean), options that the command does not
/// have, bad values, a missing scenario.
[[nodiscard]] CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace lightrail

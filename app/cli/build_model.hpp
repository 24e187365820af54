#pragma once
#include "app/cli/command_line.hpp"
#include "engine/base/time.hpp"
#include "engine/model/model.hpp"
#include "engine/model/registry.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// <run seed="1" stop-at="10 s"/>.
struct RunSpec {
  std::int64_t seed = 1;
  SimTime stop_at = time_never;
};
Describe<RunSpec> run_parameters();

/// The scenario of the command line, with its catalogue found.
Scenario load(const CommandLine& line);

/// Built-in component kinds and those of --plugin files. Throws InputErrors for a file that is no plugin.
KindRegistry load_kinds(const std::vector<std::string>& plugins);

/// Scenario -> model, with every mistake reported, unread parameters included. Fills seed and stop time of
/// `line` where it has none.
Model build_model(const Scenario& scenario, const KindRegistry& kinds, CommandLine& line);

/// The folder that holds `what` ("configs"): beside the source tree the executable was built in, or
/// installed.
std::string find_shared_folder(const std::string& what);

}  // namespace lightrail

#pragma once
#include <string>
#include <vector>

#include "app/cli/command_line.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// Before a run: throws IoError when a file that it is to write lies in a folder that does not exist, and
/// InputErrors when it is one that the run reads (scenario, includes, catalogue, traces and other files that
/// attributes name, plugins, checkpoint to resume from) or when --out and --summary are one file.
void check_outputs(const CommandLine& line, const std::string& result, const Scenario& scenario);

/// Throws InputErrors when `out`, of `option`, is one of `inputs`, by whatever name.
void refuse_to_overwrite(const std::string& option, const std::string& out,
                         const std::vector<std::string>& inputs);

/// Files that attributes of the scenario name, and files that match a pattern in one: relative to the file
/// that names them. Only what exists.
[[nodiscard]] std::vector<std::string> files_named_in(const Element& root);

}  // namespace lightrail

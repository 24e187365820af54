#pragma once
#include <string>
#include <vector>

#include "app/cli/command_line.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// The points of <sweep>: the cartesian product of its <vary name="grain" values="1 8 16"/>, the last varying
/// fastest; of several <sweep> one after the other. A point is a list of name=value settings. Throws
/// InputErrors without <sweep>, without values, for unknown variables.
[[nodiscard]] std::vector<std::vector<std::string>> sweep_points(const Scenario& scenario);

/// Every value of each NAME=VALUE,VALUE of --over with every one of the others, the last name varying
/// fastest; without any a single empty point. Throws InputErrors.
[[nodiscard]] std::vector<std::vector<std::string>> points_over(const std::vector<std::string>& over);

/// The points of --over, else of the scenario's <sweep>. Throws InputErrors also for a scenario that is wrong
/// with the first and with the last of --over.
[[nodiscard]] std::vector<std::vector<std::string>> points_of_sweep(const CommandLine& line);

/// The line with the settings of a point after its own.
[[nodiscard]] CommandLine at_point(CommandLine line, const std::vector<std::string>& settings);

/// "x-3.h5" of "x.h5" and "-3"; "" of "".
[[nodiscard]] std::string with_point(const std::string& file, const std::string& point);

}  // namespace lightrail

#pragma once
#include <string>

#include "app/cli/command_line.hpp"

namespace lightrail {

/// What the scenario of the command line consists of, for people: variables and their values, points of its
/// sweep, system, groups, workload, what is recorded and where. Throws InputErrors with its mistakes.
[[nodiscard]] std::string described_scenario(CommandLine line);

}  // namespace lightrail

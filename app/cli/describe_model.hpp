#pragma once
#include <string>

#include "app/cli/command_line.hpp"

namespace lightrail {

/// `lightrail describe model llama3_70b`: layers, parameters, FLOPs a token and memory of a model of the
/// catalogue. Throws InputErrors where there is none of that name, or where it is wrong.
[[nodiscard]] std::string described_model(const CommandLine& line);

}  // namespace lightrail

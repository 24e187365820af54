#pragma once
#include <string>
#include <vector>

#include "app/cli/command_line.hpp"
#include "engine/model/model.hpp"
#include "engine/partition/partition.hpp"

namespace lightrail {

/// "40 seconds", "7 minutes".
[[nodiscard]] std::string duration_text(double seconds);

/// What to say before a run that is likely to take longer than some minutes: how long about, and what would
/// make it shorter. Empty for any other run.
[[nodiscard]] std::vector<std::string> slowness_notes(const Model& model, const Partition& partition,
                                                      const CommandLine& line);

}  // namespace lightrail

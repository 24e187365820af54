#pragma once
#include <string>
#include <vector>

#include "app/cli/command_line.hpp"
#include "engine/model/model.hpp"
#include "engine/partition/partition.hpp"

namespace lightrail {

/// Trains that the job's communication puts on links, summed over links, about: payload over bytes a train,
/// on two links within a server and six to another; programs that follow others are left out. A guess that is
/// right to a factor of a few; 0 without a job and by formula.
[[nodiscard]] double expected_trains(const Model& model);

/// Wall time that a run on so many ranks may take, by the same guess [s].
[[nodiscard]] double expected_seconds(const Model& model, int ranks);

/// "40 seconds", "7 minutes".
[[nodiscard]] std::string duration_text(double seconds);

/// What to say before a run that is likely to take longer than some minutes: how long about, and what would
/// make it shorter. Empty for any other run.
[[nodiscard]] std::vector<std::string> slowness_notes(const Model& model, const Partition& partition,
                                                      const CommandLine& line);

}  // namespace lightrail

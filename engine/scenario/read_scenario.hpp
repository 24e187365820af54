#pragma once
#include <string>
#include <vector>

#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// A scenario that may have mistakes, in a tree that is whole but for a value or a catalogue entry: the
/// stages after this one may find more of them.
struct ReadScenario : Scenario {
  std::vector<InputError> mistakes;
};

/// As load_scenario(), but throws InputErrors only where no tree can be made: no file, no root, no included
/// file, no catalogue.
[[nodiscard]] ReadScenario read_scenario(const std::string& path, const ScenarioOptions& options);

/// The values of <vary values="">: between semicolons ("400 Gb/s; 100 Gb/s"), or between commas where it has
/// none, or between blanks where it has neither.
[[nodiscard]] std::vector<std::string> split_values(const std::string& text);

}  // namespace lightrail

#pragma once
#include <string>
#include <vector>

#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// Everything beside the scenario that decides what a run of it gives.
struct RunInputs {
  std::vector<std::string> options;  ///< "--seed", "7": those that change results
  std::vector<std::string> files;    ///< that the scenario names, and plugins: their contents count
  std::string version;               ///< of the program
};

/// Names the result of a run: 16 hexadecimal digits, equal for equal inputs. The resolved scenario counts,
/// with its catalogue entries and without what only says how it came about (<sweep>, <variable>, <doc>), so
/// that a point that is added to a sweep leaves the others what they are.
[[nodiscard]] std::string point_key(const Scenario& scenario, const RunInputs& inputs);

/// Version and commit of this program; of a changed checkout also its own bytes, which the commit does not
/// tell.
[[nodiscard]] std::string program_version(const std::string& executable);

}  // namespace lightrail

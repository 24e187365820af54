#pragma once
#include <string>
#include <vector>

#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// The points of <sweep>: the cartesian product of its <vary name="grain" values="1 8 16"/>, the last varying
/// fastest; of several <sweep> one after the other. A point is a list of name=value settings. Throws
/// InputErrors without <sweep>, without values, for unknown variables.
[[nodiscard]] std::vector<std::vector<std::string>> sweep_points(const Scenario& scenario);

/// "x-3.h5" of "x.h5" and "-3"; "" of "".
[[nodiscard]] std::string with_point(const std::string& file, const std::string& point);

}  // namespace lightrail

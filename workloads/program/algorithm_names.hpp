#pragma once
#include <string>
#include <utility>
#include <vector>

#include "workloads/program/program.hpp"

namespace lightrail {

/// Names of algorithms as scenarios and messages write them: "ring", "full-mesh".
const std::vector<std::pair<std::string, Algorithm>>& algorithm_names();
std::string algorithm_name(Algorithm algorithm);

}  // namespace lightrail

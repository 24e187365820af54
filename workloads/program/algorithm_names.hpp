#pragma once
#include <string>
#include <utility>
#include <vector>

#include "workloads/program/program.hpp"

namespace lightrail {

/// Names of algorithms as scenarios and messages write them, "ring", "full-mesh", with their ids.
using AlgorithmNames = std::vector<std::pair<std::string, Algorithm>>;

/// "ring"; "number 40" of one that `names` does not have.
[[nodiscard]] std::string name_of(const AlgorithmNames& names, Algorithm algorithm);

}  // namespace lightrail

#pragma once
#include <string>
#include <utility>
#include <vector>

#include "workloads/program/collective_names.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Names of the enumerations of a program as scenarios and messages write them: "rowwise"; those of
/// collectives and protocols are in collective_names.hpp, of data types in data_type.hpp.
[[nodiscard]] const std::vector<std::pair<std::string, Scaling>>& scaling_names();

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workloads/program/collective_names.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Names of the enumerations of a program as scenarios and messages write them: "bf16", "rowwise"; those of
/// collectives and protocols are in collective_names.hpp.
[[nodiscard]] const std::vector<std::pair<std::string, DataType>>& data_type_names();
[[nodiscard]] const std::vector<std::pair<std::string, Scaling>>& scaling_names();

/// Bytes of an element in memory.
[[nodiscard]] std::uint32_t bytes_of(DataType type);

}  // namespace lightrail

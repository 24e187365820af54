#pragma once
#include <string>
#include <utility>
#include <vector>

#include "workloads/program/algorithm_names.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Names of the enumerations of a program as scenarios and messages write them: "all-reduce", "ring",
/// "ll128".
const std::vector<std::pair<std::string, CollectiveType>>& collective_names();
const std::vector<std::pair<std::string, Protocol>>& protocol_names();
const std::vector<std::pair<std::string, DataType>>& data_type_names();
const std::vector<std::pair<std::string, Scaling>>& scaling_names();

std::string collective_name(CollectiveType type);
/// nccl-tests' name of a collective: "all_reduce".
std::string nccl_tests_name(CollectiveType type);
std::uint32_t bytes_of(DataType type);

}  // namespace lightrail

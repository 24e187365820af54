#pragma once
#include <string>
#include <utility>
#include <vector>

#include "workloads/program/program.hpp"

namespace lightrail {

/// Collectives and protocols as scenarios and messages write them: "all-reduce", "ll128". "none" is not
/// among them.
[[nodiscard]] const std::vector<std::pair<std::string, CollectiveType>>& collective_names();
[[nodiscard]] const std::vector<std::pair<std::string, Protocol>>& protocol_names();

/// The name in those lists; "none" where a type has none.
[[nodiscard]] std::string collective_name(CollectiveType type);
[[nodiscard]] std::string protocol_name(Protocol protocol);
/// nccl-tests' name of a collective: "all_reduce".
[[nodiscard]] std::string nccl_tests_name(CollectiveType type);

}  // namespace lightrail

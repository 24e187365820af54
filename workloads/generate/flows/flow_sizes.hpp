#pragma once
#include <optional>
#include <vector>

#include "engine/model/describe.hpp"
#include "workloads/generate/flows/size_distribution.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

/// Reads the <flow-sizes> of a workload: its <size>s, or its file. Nothing on a mistake, which goes to the
/// context's errors: a file that is none, sizes or shares that do not rise, a largest size that is not that
/// of all flows.
[[nodiscard]] std::optional<SizeDistribution> read_flow_sizes(WorkloadContext& context);

/// Attributes of <flow-sizes>, and of its <size>s.
[[nodiscard]] std::vector<ParameterDoc> flow_sizes_documentation();
[[nodiscard]] std::vector<ParameterDoc> flow_size_documentation();

}  // namespace lightrail

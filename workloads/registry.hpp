#pragma once
#include "workloads/job/workload_registry.hpp"

namespace lightrail {

/// Every kind of workload of this source tree, by an explicit list.
[[nodiscard]] WorkloadRegistry built_in_workloads();

}  // namespace lightrail

#pragma once
#include <memory>

#include "workloads/job/workload_kind.hpp"

namespace lightrail {

/// <workload kind="trace" file="t.h5"/> or format="kineto" files="dir/prefix_*.json.gz": replays a recorded
/// job. `gpus` places it; <recorded-on><gpu catalogue=""/></recorded-on> scales kernels to the system's GPU
/// by the ratio of the roofs (matrix units, memory); host-scale multiplies the CPU time.
[[nodiscard]] std::shared_ptr<const WorkloadKind> trace_workload();

}  // namespace lightrail

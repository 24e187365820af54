#pragma once
#include <memory>

#include "workloads/job/workload_kind.hpp"

namespace lightrail {

// The kinds of <workload> that are made here.

/// Megatron- and FSDP-like training steps.
[[nodiscard]] std::shared_ptr<const WorkloadKind> training_workload();
/// Requests, served as they arrive.
[[nodiscard]] std::shared_ptr<const WorkloadKind> inference_workload();
/// nccl-tests.
[[nodiscard]] std::shared_ptr<const WorkloadKind> collective_workload();
/// Every GPU reads from or writes to storage servers.
[[nodiscard]] std::shared_ptr<const WorkloadKind> storage_workload();
/// Independent messages between random GPUs, as they come up.
[[nodiscard]] std::shared_ptr<const WorkloadKind> flows_workload();
/// <program>s of <op>s, one by one.
[[nodiscard]] std::shared_ptr<const WorkloadKind> explicit_workload();

}  // namespace lightrail

#pragma once
#include <optional>
#include <string>

#include "workloads/import/kineto/kineto_rank.hpp"

namespace lightrail {

/// What a call of CUDA's or HIP's runtime or driver does to a replay, by its name ("cudaLaunchKernel",
/// "hipMemcpyAsync"); nothing for those that matter to none.
[[nodiscard]] std::optional<RuntimeCall::Kind> runtime_call_kind(const std::string& name);

}  // namespace lightrail

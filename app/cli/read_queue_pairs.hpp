#pragma once
#include "engine/base/error.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// QueuePairs, where <nccl> asks for several a connection. `model` has the system, the job's groups and
/// NcclSettings. Mistakes go to `errors`: more than the job's groups leave numbers for, GPUs with several
/// NICs, optical switches.
[[nodiscard]] ModelPart read_queue_pairs(const Scenario& scenario, const Model& model, ErrorList& errors);

}  // namespace lightrail

#pragma once
#include "workloads/generate/transformer.hpp"
#include "workloads/workload_context.hpp"

namespace lightrail {

/// DeepEP's exchanges of a model take the experts of a token from the model (Op::peer). Refuses a scenario
/// whose <nccl> itself states another number; one of its catalogue entry is for jobs without a model.
void check_deepep_experts(const Transformer& model, WorkloadContext& context);

}  // namespace lightrail

#pragma once
#include "workloads/generate/training/transformer.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

/// DeepEP's exchanges of a model take the experts of a token, and how many servers they are on at most, from
/// the model (ExpertCounts). Refuses a scenario whose <nccl> itself states another number; those of its
/// catalogue entry are for jobs without a model.
void check_deepep_experts(const Transformer& model, WorkloadContext& context);

}  // namespace lightrail

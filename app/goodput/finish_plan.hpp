#pragma once
#include "app/explain/result_reader.hpp"
#include "engine/record/summary.hpp"
#include "workloads/goodput/goodput_plan.hpp"
#include "workloads/goodput/read_goodput.hpp"

namespace lightrail {

/// A request's plan with what its job was simulated for: the step is the last iteration's, the write lasts
/// from the first to the last recorded storage write of that iteration and blocks as long as the mean GPU
/// waited for storage, which is then no part of the step. Throws InputErrors where the run has no such
/// iteration, write or rest.
[[nodiscard]] GoodputPlan finished_plan(const GoodputRequest& request, const Summary& summary,
                                        const ResultReader& result);

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/cli/plan_task.hpp"
#include "app/cli/stages.hpp"
#include "app/plan/candidates.hpp"
#include "app/plan/estimate.hpp"
#include "app/registry/registry.hpp"

namespace lightrail {

/// A plan and its shape.
struct ShapedPlan {
  PlanAttributes plan;
  PlanShape shape;
};

/// A step of each plan [ps], from small jobs of each way to cut a layer (app/plan/estimate.hpp), run by
/// formula on all ranks; -1: one of its small jobs is refused. Collective; every rank has the result.
[[nodiscard]] std::vector<std::int64_t> estimate_plans(const PlanTask& task,
                                                       const std::vector<ShapedPlan>& plans,
                                                       const Registry& registry, const CommandLine& line,
                                                       const MpiSession& mpi);

}  // namespace lightrail

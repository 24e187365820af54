#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/job/job.hpp"
#include "workloads/job/workload_registry.hpp"

namespace lightrail {

/// Reads <groups> and <workload> into the job they describe, for the system that `model` has (build_system
/// ran before, and the AlgorithmRegistry is there), by the kind among `workloads` that it names. Mistakes go
/// to `errors`; the job is then incomplete.
[[nodiscard]] Job make_job(const Scenario& scenario, const WorkloadRegistry& workloads, const Model& model,
                           ErrorList& errors);

/// The job of the system that `model` has: its names and dimensions, the resources GroupTable, ProgramSet,
/// LoadHint and ModelNotes, for captured traces Capture, for inference ServingPlan. `workloads`: the kinds of
/// workload that there are. Nothing when there are mistakes.
[[nodiscard]] ModelPart build_workload(const Scenario& scenario, const WorkloadRegistry& workloads,
                                       const Model& model, ErrorList& errors);

/// Elements that build_workload reads, with their parameters: for `describe` and the XSD.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<ParameterDoc>>> workload_documentation(
    const WorkloadRegistry& workloads, const AlgorithmRegistry& algorithms);

}  // namespace lightrail

#pragma once
#include "engine/model/model.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

/// The last stage before the run: checks the programs against each other and the system (check_programs) and
/// makes what GPUs need beside ProgramSet: GroupPlans, ProgramIndexes, IoEndpoints. `model` has what
/// build_system and build_workload made, NcclSettings and the AlgorithmRegistry. Nothing for a model without
/// programs, nor when there are mistakes.
[[nodiscard]] ModelPart prepare_execution(const Model& model, ErrorList& errors);

}  // namespace lightrail

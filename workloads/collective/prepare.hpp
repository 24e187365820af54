#pragma once
#include "engine/model/model.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

/// The last stage before the run: checks the programs against each other and the system (check_programs) and
/// gives the model what GPUs need beside ProgramSet: GroupPlans, ProgramIndexes, IoEndpoints, and
/// NcclSettings where it has none. Needs the AlgorithmRegistry. Call after build_system and build_workload;
/// does nothing for a model without programs. Adds nothing when there are mistakes.
void prepare_execution(Model& model, ErrorList& errors);

}  // namespace lightrail

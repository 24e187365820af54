#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/model/registry.hpp"
#include "engine/scenario/scenario.hpp"
#include "fabrics/fabric_registry.hpp"

namespace lightrail {

/// Builds the system of a scenario into `model`: <cluster>, <storage>, <fabric>, <graph> and <network>. Sets
/// the resources AddressBook, RoutingTables, CableTable, LightBudgets and DeclaredParameters.
/// `has_scheduler`: the workload needs one, joined to every GPU. Mistakes go to `errors`; the model is then
/// incomplete.
void build_system(const Scenario& scenario, const KindRegistry& kinds, const FabricRegistry& fabrics,
                  Model& model, ErrorList& errors, bool has_scheduler = false);

/// Elements that build_system and links/ read, with their parameters: for `describe` and the XSD.
std::vector<std::pair<std::string, std::vector<ParameterDoc>>> system_documentation(
    const FabricRegistry& fabrics);

}  // namespace lightrail

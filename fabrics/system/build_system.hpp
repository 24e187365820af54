#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/model/registry.hpp"
#include "engine/scenario/scenario.hpp"
#include "fabrics/fabric_registry.hpp"

namespace lightrail {

/// The system of a scenario: <cluster>, <storage>, <fabric>, <graph>, <network>, <degrade> and <prices>. A
/// model without a job, with the resources AddressBook, RoutingTables, CableTable, LightBudgets, SendAhead,
/// those of the kind of fabric, CongestionSpec of a <congestion-control>, by which trains are cut, and with
/// prices BillOfMaterials and NetworkCost. `has_scheduler`: the workload needs one, joined to every GPU.
/// Mistakes go to `errors`; the model is then incomplete.
[[nodiscard]] Model build_system(const Scenario& scenario, const KindRegistry& kinds,
                                 const FabricRegistry& fabrics, ErrorList& errors,
                                 bool has_scheduler = false);

/// Elements that build_system and links/ read, with their parameters: for `describe` and the XSD.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<ParameterDoc>>> system_documentation(
    const FabricRegistry& fabrics);

}  // namespace lightrail

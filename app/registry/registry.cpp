#include "app/registry/registry.hpp"

#include "components/built_in_tables.hpp"
#include "components/registry.hpp"
#include "workloads/registry.hpp"

namespace lightrail {

NamesByKind names_by_kind(const Registry& registry) {
  std::vector<std::string> algorithms;
  for (const auto& [name, id] : registry.algorithms.names())
    if (id != Algorithm::auto_select) algorithms.push_back(name);
  return {{"component", registry.components.names()}, {"routing", registry.routings.names()},
          {"fabric", registry.fabrics.names()},       {"collective algorithm", algorithms},
          {"workload", registry.workloads.names()},   {"table", registry.tables.names()}};
}

Registry built_in_registry() {
  const RoutingRegistry routings = built_in_routings();
  const AlgorithmRegistry algorithms = built_in_algorithms();
  return {built_in_kinds(routings),   routings, built_in_fabrics(), algorithms, built_in_workloads(),
          built_in_tables(algorithms)};
}

}  // namespace lightrail

#pragma once
#include <string>
#include <vector>

#include "app/create/new_scenario.hpp"
#include "engine/scenario/catalogue.hpp"
#include "engine/scenario/merge_entry.hpp"
#include "workloads/collective/algorithm_registry.hpp"

namespace lightrail {

/// Kinds of workload and of fabric that `lightrail new` writes, the usual one first.
[[nodiscard]] const std::vector<std::string>& new_workloads();
[[nodiscard]] const std::vector<std::string>& new_fabrics();
/// Servers of the catalogue without their folder, but for those with NICs that need a storage network.
[[nodiscard]] std::vector<std::string> new_servers(const Catalogue& catalogue,
                                                   const ChildIdentities& identities);
/// Entries of a kind without their folder, "llama3_8b" of "models".
[[nodiscard]] std::vector<std::string> names_of_kind(const Catalogue& catalogue, const std::string& kind);

/// What is said of the catalogue's devices and of the job decides the rest: sizes of the network, and how a
/// model is spread so that it fits its GPUs. `path`: of the file that is to be written. Throws InputErrors
/// for names that do not exist (with the closest), options that have no effect on the workload, a model that
/// does not fit, a trace that is none of ours.
[[nodiscard]] NewScenario decide_scenario(const NewOptions& options, const std::string& path,
                                          const Catalogue& catalogue, const ChildIdentities& identities,
                                          const AlgorithmRegistry& algorithms);

}  // namespace lightrail

#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/model/registry.hpp"
#include "engine/model/table_registry.hpp"
#include "fabrics/fabric_registry.hpp"
#include "network/routing/routing_registry.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/job/workload_registry.hpp"

namespace lightrail {

/// What a plugin may add, and what `lightrail describe plugin` calls it: "collective algorithm" and the
/// names.
using NamesByKind = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// A plugin that was loaded, and what it added; nothing is left out but what it added nothing of.
struct PluginContents {
  std::string file;
  NamesByKind added;
};

/// Everything that a run knows by name: the built-in lists, then plugins in the order of their loading. A
/// value, made once and handed on. add() of each throws InputErrors for a name that is taken.
struct Registry {
  KindRegistry components;       ///< of <graph>, and what servers and fabrics are made of
  RoutingRegistry routings;      ///< `routing` of switches and fabrics
  FabricRegistry fabrics;        ///< <fabric kind="">
  AlgorithmRegistry algorithms;  ///< `algorithm` of collectives
  WorkloadRegistry workloads;    ///< <workload kind="">
  TableRegistry tables;          ///< of the output, and `name` of <output><table>
  std::vector<PluginContents> plugins = {};
};

/// All names, kind by kind, in the order of Registry.
[[nodiscard]] NamesByKind names_by_kind(const Registry& registry);

/// What this source tree has.
[[nodiscard]] Registry built_in_registry();

/// ... and what the plugins add: each is a shared object that exports
/// `extern "C" void lightrail_plugin_register(lightrail::Registry&)`. Throws InputErrors, with the plugin's
/// file, for one that cannot be loaded, exports no such function, or whose function throws.
[[nodiscard]] Registry load_registry(const std::vector<std::string>& plugin_files);

}  // namespace lightrail

#include "app/cli/describe_plugin.hpp"

#include <fmt/format.h>

#include <map>

namespace lightrail {
namespace {

/// How a plugin adds one kind of thing.
struct HowTo {
  const char *member, *type, *header, *use;
};

const HowTo& how_to(const std::string& kind) {
  static const std::map<std::string, HowTo> all = {
      {"component",
       {"components", "ComponentKind, bind_spec()", "engine/model/kind.hpp",
        "<component kind=\"\"> of a <graph>"}},
      {"routing",
       {"routings", "RoutingKind, routing_kind()", "network/routing/routing_kind.hpp",
        "routing=\"\" of a <switch> or <fabric>"}},
      {"fabric", {"fabrics", "FabricKind, bind_fabric()", "fabrics/fabric_kind.hpp", "<fabric kind=\"\">"}},
      {"collective algorithm",
       {"algorithms", "CollectiveAlgorithm", "workloads/collective/algorithm.hpp",
        "algorithm=\"\" of <nccl>, <op> and <workload>"}},
      {"workload",
       {"workloads", "WorkloadKind, bind_workload()", "workloads/job/workload_kind.hpp",
        "<workload kind=\"\">"}},
      {"table", {"tables", "TableSchema", "engine/model/table_schema.hpp", "/tables of the result file"}},
  };
  return all.at(kind);
}

constexpr const char* introduction =
    "plugin  a shared object that adds kinds of things: lightrail run SCENARIO --plugin FILE\n"
    "  It exports one function, which adds to the registries; names that are taken are refused.\n\n"
    "    #include \"app/registry/registry.hpp\"\n"
    "    extern \"C\" void lightrail_plugin_register(lightrail::Registry& registry);\n\n"
    "  With the installed package its CMakeLists.txt says: find_package(lightrail REQUIRED) and\n"
    "  lightrail_plugin(NAME SOURCES file.cpp ...). docs/plugins.md has an example of each.\n\n";

}  // namespace

std::string plugin_text(const Registry& registry) {
  std::string text = introduction;
  for (const auto& [kind, names] : names_by_kind(registry)) {
    const HowTo& how = how_to(kind);
    text += fmt::format("  {:<22} {}: registry.{}.add(); {} of {}\n", kind, how.use, how.member, how.type,
                        how.header);
  }
  text += "\nloaded plugins\n";
  if (registry.plugins.empty())
    text += "  none (lightrail describe plugin --plugin FILE shows what it adds)\n";
  for (const PluginContents& plugin : registry.plugins) {
    text += fmt::format("  {}\n", plugin.file);
    if (plugin.added.empty()) text += "    adds nothing\n";
    for (const auto& [kind, names] : plugin.added)
      text += fmt::format("    {:<20} {}\n", kind, fmt::join(names, ", "));
  }
  return text + "\n";
}

}  // namespace lightrail

#include "app/registry/registry.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

namespace lightrail {

TEST_CASE("every registry has built-in names, each once") {
  const NamesByKind all = names_by_kind(built_in_registry());
  REQUIRE(all.size() == 6);
  for (const auto& [kind, names] : all) {
    INFO(kind);
    CHECK(!names.empty());
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  }
}

TEST_CASE("names stand under the kind of thing that they are") {
  const NamesByKind all = names_by_kind(built_in_registry());
  const auto has = [&](const std::string& kind, const std::string& name) {
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == kind; });
    return it != all.end() && std::find(it->second.begin(), it->second.end(), name) != it->second.end();
  };
  CHECK(has("component", "switch"));
  CHECK(has("routing", "adaptive"));
  CHECK(has("fabric", "fat-tree"));
  CHECK(has("collective algorithm", "ring"));
  CHECK(!has("collective algorithm", "auto"));
  CHECK(has("workload", "training"));
  CHECK(has("table", "ops"));
}

TEST_CASE("built-in switches may name every built-in routing") {
  const Registry registry = built_in_registry();
  const auto& parameters = registry.components.find("switch")->parameters;
  const auto routing = std::find_if(parameters.begin(), parameters.end(), [](const ParameterDoc& parameter) {
    return parameter.name == "routing";
  });
  REQUIRE(routing != parameters.end());
  CHECK(routing->choices == registry.routings.names());
}

}  // namespace lightrail

#include "engine/model/registry.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace lightrail;

namespace {
std::shared_ptr<const ComponentKind> kind(const char* name) {
  auto k = std::make_shared<ComponentKind>();
  k->name = name;
  return k;
}
}  // namespace

TEST_CASE("a registry finds kinds by name and keeps their order") {
  KindRegistry registry;
  registry.add(kind("switch"));
  registry.add(kind("gpu"));
  CHECK(registry.names() == std::vector<std::string>{"switch", "gpu"});
  CHECK(registry.find("gpu") == registry.kinds()[1]);
  CHECK(registry.find("cpu") == nullptr);
}

TEST_CASE("a kind registered twice is refused") {
  KindRegistry registry;
  registry.add(kind("gpu"));
  CHECK_THROWS_WITH(registry.add(kind("gpu")), Catch::Contains("component kind 'gpu' is registered twice"));
}

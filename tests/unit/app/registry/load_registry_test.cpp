#include <catch2/catch.hpp>
#include <string>

#include "app/registry/registry.hpp"
#include "engine/base/error.hpp"

// What loads is tested with real plugins by tests/plugin.
namespace lightrail {
namespace {

std::string refusal_of(const std::string& file) {
  try {
    static_cast<void>(load_registry({file}));
  } catch (const InputErrors& problem) {
    return to_string(problem.errors().front());
  }
  return "";
}

}  // namespace

TEST_CASE("without plugins the registry is the built-in one") {
  const Registry registry = load_registry({});
  CHECK(names_by_kind(registry) == names_by_kind(built_in_registry()));
  CHECK(registry.plugins.empty());
}

TEST_CASE("a file that is not there and one that is no shared object are refused by name") {
  CHECK_THAT(refusal_of("no_such.so"), Catch::Matchers::StartsWith("no_such.so: cannot load plugin ("));
  CHECK_THAT(refusal_of("CMakeLists.txt"),
             Catch::Matchers::StartsWith("CMakeLists.txt: cannot load plugin ("));
}

}  // namespace lightrail

#include "app/cli/describe_plugin.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace lightrail {

using Catch::Matchers::Contains;

TEST_CASE("how to add each kind of thing is said, and that no plugin is loaded") {
  const Registry registry = built_in_registry();
  const std::string text = plugin_text(registry);
  for (const auto& [kind, names] : names_by_kind(registry)) CHECK_THAT(text, Contains("\n  " + kind + " "));
  CHECK_THAT(text, Contains("loaded plugins\n  none"));
}

TEST_CASE("a plugin is shown with what it added") {
  Registry registry = built_in_registry();
  registry.plugins = {{"club.so", {{"component", {"player", "umpire"}}, {"table", {"hits"}}}},
                      {"idle.so", {}}};
  CHECK_THAT(plugin_text(registry),
             Contains("loaded plugins\n  club.so\n    component            player, umpire\n"
                      "    table                hits\n  idle.so\n    adds nothing\n"));
}

}  // namespace lightrail

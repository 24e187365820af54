#include <memory>

#include "app/registry/registry.hpp"

/// A plugin that is refused: its component has the name of a built-in one.
extern "C" void lightrail_plugin_register(lightrail::Registry& registry) {
  auto kind = std::make_shared<lightrail::ComponentKind>();
  kind->name = "switch";
  registry.components.add(kind);
}

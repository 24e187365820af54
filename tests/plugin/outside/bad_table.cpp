#include "app/registry/registry.hpp"

/// A plugin that is refused: its column has another unit than its name says.
extern "C" void lightrail_plugin_register(lightrail::Registry& registry) {
  registry.tables.add({"serves", {{"t_serve", lightrail::ColumnType::int64, "ps", "when"}}, "every serve"});
}

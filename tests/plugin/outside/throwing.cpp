#include <stdexcept>

#include "app/registry/registry.hpp"

/// A plugin that fails.
extern "C" void lightrail_plugin_register(lightrail::Registry&) {
  throw std::runtime_error("no racket");
}

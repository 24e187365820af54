#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "app/registry/registry.hpp"
#include "components/built_in_tables.hpp"
#include "components/registry.hpp"
#include "engine/base/error.hpp"

namespace lightrail {
namespace {

using Entry = void (*)(Registry&);

/// The shared object stays loaded: kinds have functions of it.
Entry entry_of(const std::string& file) {
  // A bare name would be searched on the library path; the user means a file.
  void* library = dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw InputErrors(InputError{file, 0, fmt::format("cannot load plugin ({})", dlerror())});
  void* entry = dlsym(library, "lightrail_plugin_register");
  if (!entry)
    throw InputErrors(InputError{file, 0, "is no plugin (it exports no 'lightrail_plugin_register')"});
  return reinterpret_cast<Entry>(entry);
}

void register_plugin(const std::string& file, Registry& registry) {
  try {
    entry_of(file)(registry);
  } catch (const InputErrors& problem) {
    ErrorList errors;
    for (const InputError& error : problem.errors())
      errors.add(error.file.empty() ? InputError{file, 0, error.what} : error);
    errors.throw_if_any();
  } catch (const std::exception& problem) {
    throw InputErrors(InputError{file, 0, fmt::format("cannot register its kinds ({})", problem.what())});
  }
}

/// What `all` has behind what `before` had: registries only grow.
NamesByKind added_since(const NamesByKind& before, NamesByKind all) {
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    auto& names = all[kind].second;
    names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(before[kind].second.size()));
  }
  std::erase_if(all, [](const auto& kind) { return kind.second.empty(); });
  return all;
}

/// The same components, of which switches may name the routings that plugins have added since.
KindRegistry with_routings(const KindRegistry& components, const RoutingRegistry& routings) {
  KindRegistry all = built_in_kinds(routings);
  for (const auto& kind : components.kinds())
    if (!all.find(kind->name)) all.add(kind);
  return all;
}

}  // namespace

Registry load_registry(const std::vector<std::string>& plugin_files) {
  Registry registry = built_in_registry();
  for (const std::string& file : plugin_files) {
    const NamesByKind before = names_by_kind(registry);
    register_plugin(file, registry);
    registry.plugins.push_back({file, added_since(before, names_by_kind(registry))});
  }
  if (!plugin_files.empty()) {
    registry.components = with_routings(registry.components, registry.routings);
    label_algorithms(registry.tables, registry.algorithms);
  }
  return registry;
}

}  // namespace lightrail

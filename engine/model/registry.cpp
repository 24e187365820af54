#include "engine/model/registry.hpp"

#include <utility>

namespace lightrail {

void KindRegistry::add(std::shared_ptr<const ComponentKind> kind) {
  if (find(kind->name))
    throw InputErrors(InputError{"", 0, "component kind '" + kind->name + "' is registered twice"});
  kinds_.push_back(std::move(kind));
}

std::shared_ptr<const ComponentKind> KindRegistry::find(const std::string& name) const {
  for (const auto& kind : kinds_)
    if (kind->name == name) return kind;
  return nullptr;
}

std::vector<std::string> KindRegistry::names() const {
  std::vector<std::string> all;
  for (const auto& kind : kinds_) all.push_back(kind->name);
  return all;
}

}  // namespace lightrail

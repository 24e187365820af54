#include "network/wire/nic_role.hpp"

#include <fmt/format.h>

#include "engine/model/kind.hpp"

namespace lightrail {

NicRole read_nic_role(const Element& element, const char* attribute, ErrorList& errors) {
  const Attribute* role = element.find(attribute);
  if (!role || role->value == "compute") return NicRole::compute;
  if (role->value == "storage") return NicRole::storage;
  errors.add(element.error_at(attribute, fmt::format("<{}> attribute '{}': {}", element.name, attribute,
                                                     invalid_choice(role->value, {"compute", "storage"}))));
  return NicRole::compute;
}

}  // namespace lightrail

#include "network/wire/nic_role.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "engine/model/kind.hpp"

namespace lightrail {
namespace {

constexpr std::array<const char*, 3> names = {"compute", "storage", "frontend"};  // by NicRole

}  // namespace

std::string name_of(NicRole role) {
  return names[static_cast<std::size_t>(role)];
}

std::string prefix_of(NicRole role) {
  return role == NicRole::compute ? "" : name_of(role) + "-";
}

NicRole read_nic_role(const Element& element, const char* attribute, ErrorList& errors) {
  const Attribute* role = element.find(attribute);
  if (!role) return NicRole::compute;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (role->value == names[i]) return static_cast<NicRole>(i);
  errors.add(
      element.error_at(attribute, fmt::format("<{}> attribute '{}': {}", element.name, attribute,
                                              invalid_choice(role->value, {names.begin(), names.end()}))));
  return NicRole::compute;
}

}  // namespace lightrail

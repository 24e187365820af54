#include "fabrics/children.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "network/routing/packet_switch_traits.hpp"

namespace lightrail {

const Element* only_child(const Element& parent, const std::string& name, Need need, ErrorList& errors) {
  const std::vector<const Element*> all = parent.children_named(name);
  if (all.empty()) {
    if (need == Need::required) errors.add(parent.error(fmt::format("<{}> lacks a <{}>", parent.name, name)));
    return nullptr;
  }
  if (need == Need::none) {
    errors.add(all[0]->error(fmt::format("<{}> has no use in this <{}>", name, parent.name)));
    return nullptr;
  }
  if (all.size() > 1)
    errors.add(all[1]->error(fmt::format("<{}> has {} <{}>, expected one", parent.name, all.size(), name)));
  return all[0];
}

std::optional<Part> part_child(const Element& parent, const std::string& child, const std::string& kind,
                               Need need, SystemBuilder& builder) {
  const Element* element = only_child(parent, child, need, builder.errors());
  return element ? builder.part(kind, *element) : std::nullopt;
}

void check_routing(const Element& element, const Spec& device, bool has_groups, ErrorList& errors) {
  const auto* traits = dynamic_cast<const PacketSwitchTraits*>(&device);
  if (!traits) return;
  const std::string problem = problem_of(traits->routing_kind(), traits->lane_count(), has_groups);
  if (problem.empty()) return;
  const Attribute* routing = element.find("routing");
  const InputError place = routing ? InputError{routing->file, routing->line, ""} : element.error("");
  errors.add({place.file, place.line, "<" + element.name + "> " + problem});
}

LinkRoles::LinkRoles(const Element& parent, std::vector<std::string> roles, SystemBuilder& builder)
    : parent_(parent), builder_(builder) {
  for (const Element* link : parent.children_named("link")) {
    const Attribute* role = link->find("role");
    if (!role) {
      builder.errors().add(link->error("<link> lacks the required attribute 'role'"));
    } else if (std::find(roles.begin(), roles.end(), role->value) == roles.end()) {
      builder.errors().add(
          {role->file, role->line, "<link> attribute 'role': " + invalid_choice(role->value, roles)});
    } else if (!elements_.emplace(role->value, link).second) {
      builder.errors().add(
          link->error(fmt::format("<{}> has two <link> of role '{}'", parent.name, role->value)));
    }
  }
}

std::optional<std::uint32_t> LinkRoles::cable(const std::string& role, Need need) const {
  const std::optional<std::uint32_t> index = cable_to_ocs(role, need);
  if (!index) return index;
  const Cable& cable = builder_.cable_at(*index);
  if (cable.optics) {
    const LightBudget budget = light_budget(cable.name, {{cable.optics.get(), "", Decibel{0.0}}});
    check_budget(budget, place(role), builder_.errors());
    builder_.keep_budget(budget);
  }
  return index;
}

std::optional<std::uint32_t> LinkRoles::cable_to_ocs(const std::string& role, Need need) const {
  auto it = elements_.find(role);
  if (it == elements_.end()) {
    if (need == Need::required)
      builder_.errors().add(
          parent_.error(fmt::format("<{}> lacks a <link role=\"{}\">", parent_.name, role)));
    return std::nullopt;
  }
  if (need == Need::none) {
    builder_.errors().add(
        it->second->error(fmt::format("<link role=\"{}\"> has no use in this <{}>", role, parent_.name)));
    return std::nullopt;
  }
  return builder_.cable(*it->second);
}

InputError LinkRoles::place(const std::string& role) const {
  auto it = elements_.find(role);
  return it == elements_.end() ? parent_.error("") : it->second->error("");
}

}  // namespace lightrail

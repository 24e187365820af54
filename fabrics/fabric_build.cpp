#include "fabrics/fabric_build.hpp"

#include <fmt/format.h>

#include <utility>

#include "fabrics/fabric_kind.hpp"
#include "network/wire/nic_role.hpp"

namespace lightrail {

namespace {

/// What was read of the copy counts as read of the original.
void copy_marks(const Element& copy, const Element& original) {
  original.is_read |= copy.is_read;
  original.asked_attributes = copy.asked_attributes;
  original.asked_children = copy.asked_children;
  for (const Attribute& attribute : copy.attributes)
    if (attribute.is_read) original.find(attribute.name);
  for (std::size_t i = 0; i < original.children.size(); ++i)
    copy_marks(copy.children[i], original.children[i]);
}

}  // namespace

bool FabricBuild::require_nics() const {
  if (nics.empty()) fail("<fabric> has no NICs to join");
  return !nics.empty();
}

std::uint32_t FabricBuild::add_route(SwitchRoute route) {
  route.role = role;
  routing.routes.push_back(std::move(route));
  return static_cast<std::uint32_t>(routing.routes.size() - 1);
}

ComponentId FabricBuild::add_switch(const Part& part, const std::string& prefix, std::uint32_t number,
                                    std::uint32_t route) {
  const ComponentId id =
      builder.add(part, part.radix, builder.prefix(prefix_of(role) + prefix), number, builder.new_atom());
  routing.route_of.emplace(id.value, route);
  return id;
}

void FabricBuild::attach(ComponentId nic, std::uint32_t lid, ComponentId device, std::uint32_t port,
                         std::uint32_t cable, std::uint32_t nic_port) {
  builder.connect(nic, nic_port, device, port, cable);
  builder.lid_of_nic.emplace(nic.value, lid);
}

std::optional<Part> read_switch(const FabricBuild& fabric) {
  SystemBuilder& builder = fabric.builder;
  const Element* ethernet = only_child(fabric.element, "ethernet-switch", Need::optional, builder.errors());
  const Element* element = ethernet;
  if (const Need need = ethernet ? Need::none : Need::required;
      const Element* one = only_child(fabric.element, "switch", need, builder.errors()))
    element = one;
  if (!element) return std::nullopt;
  Element merged = *element;
  if (const Attribute* routing = fabric.element.find("routing")) {
    std::erase_if(merged.attributes, [](const Attribute& a) { return a.name == "routing"; });
    merged.attributes.push_back(*routing);
    element->find("routing");
  }
  const std::optional<Part> part = builder.part(element->name, merged);
  copy_marks(merged, *element);
  if (part && part->radix == 0) {
    builder.errors().add(element->error(fmt::format("<{}> has no ports", element->name)));
    return std::nullopt;
  }
  if (part) check_routing(merged, builder.spec_of(*part), fabric.kind.has_groups, builder.errors());
  return part;
}

}  // namespace lightrail

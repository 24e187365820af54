#include "app/cli/message_fabrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "app/cli/added_component.hpp"
#include "components/message-fabric/message_fabric.hpp"
#include "engine/base/error.hpp"
#include "network/port/device_traits.hpp"

namespace lightrail {
namespace {

void require_single_ports(const Model& model, const std::vector<FabricPaths::Attached>& nics) {
  for (const FabricPaths::Attached& each : nics)
    if (fabric_ports_of(*model.specs[model.components[each.nic.value].spec]) > 1)
      refuse_messages("say nothing about NICs of two ports");
}

/// By component: the number of the NIC among these; none for others.
std::vector<std::uint32_t> number_by_component(const Model& whole,
                                               const std::vector<FabricPaths::Attached>& nics) {
  std::vector<std::uint32_t> number(whole.components.size(), ComponentId::none);
  for (std::uint32_t i = 0; i < nics.size(); ++i) {
    if (number[nics[i].nic.value] != ComponentId::none)
      refuse_messages("have one cable from a device to a fabric; " + whole.component_name(nics[i].nic) +
                      " has several");
    number[nics[i].nic.value] = i;
  }
  return number;
}

/// Of any part.
std::uint32_t most_nics(const MessageParts& parts) {
  std::uint32_t most = 0;
  std::vector<std::uint32_t> count(parts.count);
  for (const std::uint16_t part : parts.of_nic) most = std::max(most, ++count[part]);
  return most;
}

/// By NIC: where it is.
std::vector<MessageFabricSpec::Target> places(const Model& whole, const MessageParts& parts,
                                              const std::vector<FabricPaths::Attached>& nics) {
  std::vector<std::uint32_t> count(parts.count);
  std::vector<MessageFabricSpec::Target> places;
  for (std::size_t i = 0; i < nics.size(); ++i) {
    const std::uint32_t port = count[parts.of_nic[i]]++;  // require_ports()
    const LinkRecord& back = whole.links[nics[i].to_switch.value ^ 1];
    places.push_back({static_cast<PortIndex>(port), parts.of_nic[i], nics[i].switch_index,
                      LineTime(whole.link_classes[back.link_class].rate)});
  }
  return places;
}

/// By lid: where the fabric of these NICs leads to.
std::vector<MessageFabricSpec::Target> targets(const FabricPaths& paths, const AddressBook& book,
                                               const std::vector<FabricPaths::Attached>& nics,
                                               const std::vector<std::uint32_t>& number,
                                               const std::vector<MessageFabricSpec::Target>& places) {
  std::vector<MessageFabricSpec::Target> of_lid(book.lid_count);
  for (const AddressBook::Entry& entry : book.endpoints) {
    if (!entry.lid.is_valid() || of_lid[entry.lid.value].port != self_port) continue;
    const auto path = paths.path(nics.front().switch_index, entry.lid);
    if (path && number[path->nic.value] != ComponentId::none)
      of_lid[entry.lid.value] = places[number[path->nic.value]];
  }
  return of_lid;
}

/// By links that take as long as the paths for which they stand. `fabric`: by part.
void join_parts(Model& model, const std::vector<ComponentId>& fabric,
                const std::vector<std::shared_ptr<const MessageFabricSpec>>& specs,
                const MessageParts& parts) {
  std::map<SimTime, std::uint16_t> classes;
  const auto path_class = [&](SimTime latency) {
    const auto next = static_cast<std::uint16_t>(model.link_classes.size());
    const auto [place, is_new] = classes.try_emplace(latency, next);
    if (is_new) {
      LinkClass path;
      path.name = path.medium = "path";
      path.latency = latency;
      model.link_classes.push_back(std::move(path));
    }
    return place->second;
  };
  for (std::uint16_t a = 0; a < parts.count; ++a)
    for (auto b = static_cast<std::uint16_t>(a + 1); b < parts.count; ++b)
      join_ports(model, {fabric[a], specs[a]->port_to(b)}, {fabric[b], specs[b]->port_to(a)},
                 path_class(parts.between(a, b)), path_class(parts.between(b, a)));
}

}  // namespace

void refuse_messages(const std::string& what) {
  throw InputErrors(InputError{"", 0, "messages " + what});
}

void require_ports(const MessageParts& parts) {
  const std::uint32_t most = std::uint32_t{self_port} - parts.count;
  if (most_nics(parts) > most)
    refuse_messages(fmt::format("would join more than {} NICs by one part of a fabric", most));
}

std::vector<LeftOutFabric> left_out_fabrics(const Model& whole, const FabricPaths& paths,
                                            const std::vector<FabricPaths::Attached>& nics) {
  std::vector<LeftOutFabric> all(paths.fabrics());
  for (const FabricPaths::Attached& each : nics) all[each.fabric].nics.push_back(each);
  for (std::uint32_t number = 0; number < all.size(); ++number) all[number].number = number;
  std::erase_if(all, [](const LeftOutFabric& fabric) { return fabric.nics.empty(); });
  for (LeftOutFabric& fabric : all) {
    require_single_ports(whole, fabric.nics);
    fabric.parts = message_parts(whole, paths, fabric.nics);
    require_ports(fabric.parts);
  }
  return all;
}

std::uint32_t most_nics_of_part(const std::vector<LeftOutFabric>& fabrics) {
  std::uint32_t most = 0;
  for (const LeftOutFabric& fabric : fabrics) most = std::max(most, most_nics(fabric.parts));
  return most;
}

void add_message_fabric(SubModel& part, const Model& whole, const std::shared_ptr<const ComponentKind>& kind,
                        const std::shared_ptr<const FabricPaths>& paths, const LeftOutFabric& of) {
  const auto& [number, nics, parts] = of;
  const std::vector<std::uint32_t> number_of = number_by_component(whole, nics);
  auto fabric = std::make_shared<MessageFabricSpec::Whole>();
  fabric->paths = paths;
  fabric->role = nics.front().role;
  fabric->parts = parts.count;
  const std::vector<MessageFabricSpec::Target> place = places(whole, parts, nics);
  if (const auto* book = whole.resource<AddressBook>())
    fabric->of_lid = targets(*paths, book->of(fabric->role), nics, number_of, place);
  std::vector<std::vector<std::uint32_t>> switches(parts.count);
  for (std::size_t i = 0; i < nics.size(); ++i) switches[parts.of_nic[i]].push_back(nics[i].switch_index);
  std::vector<ComponentId> components;
  std::vector<std::shared_ptr<const MessageFabricSpec>> specs;
  for (std::uint16_t p = 0; p < parts.count; ++p) {
    auto spec = std::make_shared<MessageFabricSpec>();
    spec->whole = fabric;
    spec->part = p;
    spec->switch_of_port = std::move(switches[p]);
    const auto ports = static_cast<std::uint16_t>(spec->nics() + parts.count - 1);
    const std::string name =
        parts.count == 1 ? fmt::format("fabric{}", number) : fmt::format("fabric{}.part{}", number, p);
    components.push_back(add_component(part.model, kind, spec, name, ports));
    specs.push_back(std::move(spec));
  }
  for (std::size_t i = 0; i < nics.size(); ++i) {
    const LinkRecord &out = whole.links[nics[i].to_switch.value],
                     &back = whole.links[nics[i].to_switch.value ^ 1];
    join_ports(part.model, {part.component[out.from.value], out.from_port},
               {components[place[i].part], place[i].port}, out.link_class, back.link_class);
  }
  join_parts(part.model, components, specs, parts);
}

}  // namespace lightrail

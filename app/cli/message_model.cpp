#include "app/cli/message_model.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/added_component.hpp"
#include "components/message-fabric/message_fabric.hpp"
#include "engine/base/error.hpp"
#include "engine/model/sub_model.hpp"
#include "fabrics/system/train_cap.hpp"
#include "links/train_settings.hpp"
#include "network/circuits/has_circuits.hpp"
#include "network/health/health_table.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/send_ahead.hpp"
#include "network/port/whole_messages.hpp"

namespace lightrail {
namespace {

/// What a run by messages does not see; empty: there is none.
std::string obstacle(const Model& model) {
  if (has_circuits(model)) return "circuits";
  for (std::uint32_t c = 0; c < model.components.size(); ++c)
    if (role_of(model, ComponentId{c}) == DeviceRole::optical_switch) return "optical switches";
  for (const auto& spec : model.specs)
    if (fabric_ports_of(*spec) > 1) return "NICs of two ports";
  if (const auto* health = model.resource<HealthTable>(); health && !health->is_empty()) return "<faults>";
  return "";
}

[[noreturn]] void refuse(const std::string& what) {
  throw InputErrors(InputError{"", 0, "<run> attribute 'detail': messages " + what});
}

AddressBook renumbered(const AddressBook& whole, const std::vector<ComponentId>& component) {
  AddressBook book = whole;
  for (ComponentId& id : book.component_of) id = component[id.value];
  for (auto& network : book.networks)
    if (network) network = std::make_shared<const AddressBook>(renumbered(*network, component));
  return book;
}

/// By lid: where the fabric of these NICs leads to.
std::vector<MessageFabricSpec::Target> targets(const FabricPaths& paths, const AddressBook& book,
                                               const std::vector<FabricPaths::Attached>& nics,
                                               const std::vector<PortIndex>& port_of) {
  std::vector<MessageFabricSpec::Target> of_lid(book.lid_count);
  for (const AddressBook::Entry& entry : book.endpoints) {
    if (!entry.lid.is_valid() || of_lid[entry.lid.value].port != self_port) continue;
    if (const auto path = paths.path(nics.front().switch_index, entry.lid))
      of_lid[entry.lid.value] = {port_of[path->nic.value], path->switch_index};
  }
  return of_lid;
}

/// `nics`: those of the fabric with that number.
void add_fabric(SubModel& part, const Model& whole, const std::shared_ptr<const ComponentKind>& kind,
                const std::shared_ptr<const FabricPaths>& paths,
                const std::vector<FabricPaths::Attached>& nics, std::uint32_t number) {
  if (nics.size() >= self_port)
    refuse(fmt::format("would join {} NICs by one fabric (at most {})", nics.size(), self_port - 1));
  auto spec = std::make_shared<MessageFabricSpec>();
  spec->paths = paths;
  spec->role = nics.front().role;
  std::vector<PortIndex> port_of(whole.components.size(), self_port);
  for (const FabricPaths::Attached& each : nics) {
    if (port_of[each.nic.value] != self_port)
      refuse("have one cable from a device to a fabric; " + whole.component_name(each.nic) + " has several");
    port_of[each.nic.value] = static_cast<PortIndex>(spec->switch_of_port.size());
    spec->switch_of_port.push_back(each.switch_index);
  }
  if (const auto* book = whole.resource<AddressBook>())
    spec->of_lid = targets(*paths, book->of(spec->role), nics, port_of);
  const ComponentId fabric = add_component(part.model, kind, std::move(spec), fmt::format("fabric{}", number),
                                           static_cast<std::uint16_t>(nics.size()));
  for (const FabricPaths::Attached& each : nics) {
    const PortIndex port = port_of[each.nic.value];
    const LinkRecord &out = whole.links[each.to_switch.value], &back = whole.links[each.to_switch.value ^ 1];
    join_ports(part.model, {part.component[out.from.value], out.from_port}, {fabric, port}, out.link_class,
               back.link_class);
  }
}

}  // namespace

Model message_model(const Model& whole) {
  if (const std::string what = obstacle(whole); !what.empty()) refuse("say nothing about " + what);
  const auto paths = std::make_shared<const FabricPaths>(whole);
  std::vector<Kept> kept(whole.components.size());
  for (std::uint32_t c = 0; c < kept.size(); ++c)
    kept[c].is_kept = role_of(whole, ComponentId{c}) != DeviceRole::packet_switch;
  SubModel part = sub_model(whole, kept);
  const std::shared_ptr<const ComponentKind> kind = message_fabric_kind();
  std::vector<std::vector<FabricPaths::Attached>> nics_of(paths->fabrics());
  for (const FabricPaths::Attached& each : paths->attached()) nics_of[each.fabric].push_back(each);
  for (std::uint32_t fabric = 0; fabric < nics_of.size(); ++fabric)
    if (!nics_of[fabric].empty()) add_fabric(part, whole, kind, paths, nics_of[fabric], fabric);
  for (LinkClass& link : part.model.link_classes)
    link.grain = link.medium == "nvlink" ? TrainSettings::max_nvlink_grain : TrainSettings::max_grain;
  ModelPart more;
  more.resources = whole.resources().without<AddressBook>().without<SendAhead>().without<TrainCap>();
  if (const auto* book = whole.resource<AddressBook>())
    more.resources.add<AddressBook>(std::make_shared<const AddressBook>(renumbered(*book, part.component)));
  more.resources.add<WholeMessages>(std::make_shared<const WholeMessages>());
  more.remarks.push_back(
      {"messages", fmt::format("messages travel whole: ports of GPUs, NVSwitches and NICs have their rates, "
                               "and nothing waits between them; {} switches are left out, with their links, "
                               "congestion and energy",
                               paths->switches())});
  // There are no trains.
  std::erase_if(part.model.remarks, [](const Remark& remark) { return remark.about == "grain"; });
  part.model.add(std::move(more));
  return std::move(part.model);
}

}  // namespace lightrail

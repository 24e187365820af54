#include "app/cli/message_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/added_component.hpp"
#include "components/message-fabric/message_fabric.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/error.hpp"
#include "engine/model/sub_model.hpp"
#include "fabrics/system/train_cap.hpp"
#include "links/train_settings.hpp"
#include "network/circuits/has_circuits.hpp"
#include "network/health/health_table.hpp"
#include "network/health/read_degraded.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/trains_per_message.hpp"
#include "network/port/whole_messages.hpp"
#include "network/routing/routing.hpp"
#include "network/wire/nic_role.hpp"

namespace lightrail {
namespace {

/// The fabrics of which the switches are left out.
class Scope {
 public:
  explicit Scope(bool has_all) { is_in_.all.fill(has_all); }
  void add(NicRole role) { is_in_[role] = true; }
  [[nodiscard]] bool has(NicRole role) const { return is_in_[role]; }
  [[nodiscard]] bool has_switch(const Model& whole, ComponentId id) const {
    return role_of(whole, id) == DeviceRole::packet_switch &&
           has(whole.resource<RoutingTables>()->of(id).role);
  }

 private:
  ByRole<bool> is_in_;
};

/// `what`: messages do. Whoever knows the place adds it.
[[noreturn]] void refuse(const std::string& what) {
  throw InputErrors(InputError{"", 0, "messages " + what});
}

/// What messages do not see in these fabrics; empty: there is none.
std::string obstacle(const Model& model, const Scope& scope) {
  if (const auto* health = model.resource<HealthTable>(); health && !health->is_empty()) return "<faults>";
  if (const auto* degraded = model.resource<DegradedCables>())
    for (const LinkId id : degraded->links) {
      const LinkRecord& link = model.links[id.value];
      if (scope.has_switch(model, link.from) && scope.has_switch(model, link.to))
        return "cables between switches that are slow or err (<degrade>)";
    }
  if (!scope.has(NicRole::compute)) return "";
  if (has_circuits(model)) return "circuits";
  for (std::uint32_t c = 0; c < model.components.size(); ++c)
    if (role_of(model, ComponentId{c}) == DeviceRole::optical_switch) return "optical switches";
  return "";
}

void require_single_ports(const Model& model, const std::vector<FabricPaths::Attached>& nics) {
  for (const FabricPaths::Attached& each : nics)
    if (fabric_ports_of(*model.specs[model.components[each.nic.value].spec]) > 1)
      refuse("say nothing about NICs of two ports");
}

AddressBook renumbered(const AddressBook& whole, const std::vector<ComponentId>& component) {
  AddressBook book = whole;
  for (ComponentId& id : book.component_of) id = component[id.value];
  for (auto& network : book.networks.all)
    if (network) network = std::make_shared<const AddressBook>(renumbered(*network, component));
  return book;
}

RoutingTables renumbered(const RoutingTables& whole, const std::vector<ComponentId>& component) {
  RoutingTables tables;
  tables.routes = whole.routes;
  for (const auto& [id, route] : whole.route_of)
    if (component[id].is_valid()) tables.route_of[component[id].value] = route;
  return tables;
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

/// The longest pieces of a message on NVLink [packets]: 8 MiB of 4 KiB, 19 us on Hopper. Whole, gradients of
/// 30 MB hold up the tensor parallelism of the same GPUs for 150 us, which packets share the line with
/// (docs/scaling.md has what pieces of 2 to 8 MiB bring). Longer where the scenario's trains are.
constexpr std::uint32_t longest_on_nvlink = 2'048;

/// Of a model by messages [packets].
std::uint32_t piece_on_nvlink(const Model& model) {
  std::uint32_t longest = longest_on_nvlink;
  for (const LinkClass& link : model.link_classes)
    if (link.medium == "nvlink") longest = std::max(longest, link.grain);
  return longest;
}

std::string left_out(std::uint32_t switches) {
  return counted(switches, "switch", "switches") + (switches == 1 ? " is" : " are");
}

/// A model with a MessageFabric instead of the switches of each fabric in scope.
struct WithoutSwitches {
  SubModel part;
  Resources resources;         ///< of the whole, for what is left
  std::uint32_t switches = 0;  ///< left out
};

/// Of fabrics in whose way there is nothing (obstacle()).
WithoutSwitches without_switches(const Model& whole, const Scope& scope) {
  const auto paths = std::make_shared<const FabricPaths>(whole);
  WithoutSwitches left;
  std::vector<Kept> kept(whole.components.size());
  for (std::uint32_t c = 0; c < kept.size(); ++c) {
    kept[c].is_kept = !scope.has_switch(whole, ComponentId{c});
    left.switches += kept[c].is_kept ? 0 : 1;
  }
  left.part = sub_model(whole, kept);
  std::vector<std::vector<FabricPaths::Attached>> nics_of(paths->fabrics());
  std::size_t most = 0;
  for (const FabricPaths::Attached& each : paths->attached()) {
    if (!scope.has(each.role)) continue;
    nics_of[each.fabric].push_back(each);
    most = std::max(most, nics_of[each.fabric].size());
  }
  const std::shared_ptr<const ComponentKind> kind = message_fabric_kind(static_cast<std::uint32_t>(most));
  for (std::uint32_t fabric = 0; fabric < nics_of.size(); ++fabric)
    if (!nics_of[fabric].empty()) {
      require_single_ports(whole, nics_of[fabric]);
      add_fabric(left.part, whole, kind, paths, nics_of[fabric], fabric);
    }
  // Switches that others name by id (sums of several switches, GroupPlans) stay where they are: compute
  // fabrics come before the others, and by messages none of a fabric is left.
  left.resources = whole.resources().without<AddressBook>().without<RoutingTables>();
  if (const auto* book = whole.resource<AddressBook>())
    left.resources.add<AddressBook>(
        std::make_shared<const AddressBook>(renumbered(*book, left.part.component)));
  left.resources.add<RoutingTables>(std::make_shared<const RoutingTables>(
      renumbered(*whole.resource<RoutingTables>(), left.part.component)));
  return left;
}

}  // namespace

Model message_model(const Model& whole) {
  const Scope all(true);
  if (const std::string what = obstacle(whole, all); !what.empty()) refuse("say nothing about " + what);
  WithoutSwitches left = without_switches(whole, all);
  Model& model = left.part.model;
  for (LinkClass& link : model.link_classes)
    link.grain = link.medium == "nvlink" ? std::max(link.grain, longest_on_nvlink) : TrainSettings::max_grain;
  ModelPart more;
  more.resources = left.resources.without<TrainCap>().without<TrainsPerMessage>();
  more.resources.add<TrainsPerMessage>(std::make_shared<const TrainsPerMessage>(TrainsPerMessage{1}));
  more.resources.add<WholeMessages>(std::make_shared<const WholeMessages>());
  more.remarks.push_back(
      {"messages", fmt::format("messages travel whole: ports of GPUs, NVSwitches and NICs have their rates, "
                               "NVLinks take {} packets at a time, and nothing waits between them; {} left "
                               "out, with their links, congestion and "
                               "energy",
                               piece_on_nvlink(model), left_out(left.switches))});
  // There are no trains.
  std::erase_if(model.remarks, [](const Remark& remark) { return remark.about == "grain"; });
  model.add(std::move(more));
  return std::move(model);
}

Model with_fabrics_by_messages(const Model& whole, const FabricsByMessages& fabrics) {
  Scope scope(false);
  std::vector<std::string> names;
  ErrorList errors;
  for (const FabricsByMessages::One& fabric : fabrics.all) {
    Scope one(false);
    one.add(fabric.role);
    if (const std::string what = obstacle(whole, one); !what.empty())
      errors.add({fabric.at.file, fabric.at.line,
                  "<fabric> attribute 'detail': messages say nothing about " + what});
    scope.add(fabric.role);
    names.push_back(name_of(fabric.role));
  }
  errors.throw_if_any();
  WithoutSwitches left = without_switches(whole, scope);
  if (left.switches == 0) refuse("need switches that they leave out");
  ModelPart more;
  more.resources = std::move(left.resources);
  more.remarks.push_back(
      {"messages",
       fmt::format("nothing waits in the fabric for {} but at the ports of NICs; {} left out, with "
                   "links, congestion, marks, pauses and energy",
                   fmt::join(names, " and that for "), left_out(left.switches))});
  left.part.model.add(std::move(more));
  return std::move(left.part.model);
}

}  // namespace lightrail

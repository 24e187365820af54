#include "app/cli/message_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/message_fabrics.hpp"
#include "components/message-fabric/message_fabric.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/error.hpp"
#include "engine/model/load_hint.hpp"
#include "engine/model/sub_model.hpp"
#include "fabrics/system/train_cap.hpp"
#include "links/train_settings.hpp"
#include "network/circuits/has_circuits.hpp"
#include "network/health/health_table.hpp"
#include "network/health/read_degraded.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/send_ahead.hpp"
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

/// The longest pieces of a message on NVLink [packets]: 8 MiB of 4 KiB, 19 us on Hopper. Whole, gradients of
/// 30 MB hold up the tensor parallelism of the same GPUs for 150 us, which packets share the line with
/// (docs/scaling.md has what pieces of 2 to 8 MiB bring). Longer where the scenario's trains are.
constexpr std::uint32_t longest_on_nvlink = 2'048;

/// Control messages pass between the packets of what has the line, which they do where something may be sent
/// ahead: a clear-to-send behind a message of 16 MB would wait for 300 us that it waits for nowhere.
SendAhead between_packets(const Model& whole) {
  const auto* asked = whole.resource<SendAhead>();
  return {std::max(asked ? asked->time : SimTime{0}, SimTime{1})};
}

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

/// Of a model by messages that has left out so many switches.
std::string what_is_simulated(const Model& model, SendAhead ahead, std::uint32_t switches) {
  const std::string more =
      ahead.time > SimTime{1} ? ", a busy line is given more for " + format_time(ahead.time) + " ahead" : "";
  return fmt::format(
      "messages travel whole: ports of GPUs, NVSwitches and NICs have their rates, NVLinks take {} packets "
      "at a time{}, control messages pass between packets, and nothing waits between ports; {} left out, "
      "with their links, congestion and energy",
      piece_on_nvlink(model), more, left_out(switches));
}

/// A model with a MessageFabric instead of the switches of each fabric in scope.
struct WithoutSwitches {
  SubModel part;
  Resources resources;         ///< of the whole, for what is left
  std::uint32_t switches = 0;  ///< left out
  bool has_parts = false;      ///< some fabric has several
};

/// What the partitioner is to know of a model with that fabric.
LoadHint load_hint(const Model& whole, const WithoutSwitches& left) {
  const auto* hint = whole.resource<LoadHint>();
  LoadHint with_parts = hint ? *hint : LoadHint{};
  with_parts.has_long_links = left.has_parts;
  return with_parts;
}

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
  std::vector<FabricPaths::Attached> nics = paths->attached();
  std::erase_if(nics, [&](const FabricPaths::Attached& each) { return !scope.has(each.role); });
  const std::vector<LeftOutFabric> fabrics = left_out_fabrics(whole, *paths, nics);
  const std::shared_ptr<const ComponentKind> kind = message_fabric_kind(most_nics_of_part(fabrics));
  for (const LeftOutFabric& fabric : fabrics) {
    add_message_fabric(left.part, whole, kind, paths, fabric);
    left.has_parts |= fabric.parts.count > 1;
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
  if (const std::string what = obstacle(whole, all); !what.empty())
    refuse_messages("say nothing about " + what);
  WithoutSwitches left = without_switches(whole, all);
  Model& model = left.part.model;
  for (LinkClass& link : model.link_classes)
    link.grain = link.medium == "nvlink" ? std::max(link.grain, longest_on_nvlink) : TrainSettings::max_grain;
  const SendAhead ahead = between_packets(whole);
  ModelPart more;
  more.resources =
      left.resources.without<SendAhead>().without<TrainCap>().without<TrainsPerMessage>().without<LoadHint>();
  more.resources.add<LoadHint>(std::make_shared<const LoadHint>(load_hint(whole, left)));
  more.resources.add<SendAhead>(std::make_shared<const SendAhead>(ahead));
  more.resources.add<TrainsPerMessage>(std::make_shared<const TrainsPerMessage>(TrainsPerMessage{1}));
  more.resources.add<WholeMessages>(std::make_shared<const WholeMessages>());
  more.remarks.push_back({"messages", what_is_simulated(model, ahead, left.switches)});
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
  if (left.switches == 0) refuse_messages("need switches that they leave out");
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

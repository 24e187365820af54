#include "fabrics/system/system_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "engine/scenario/scenario.hpp"
#include "fabrics/system/train_cap.hpp"
#include "network/health/read_degraded.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/has_device.hpp"
#include "network/port/send_ahead.hpp"
#include "network/port/trains_per_message.hpp"
#include "network/transport/arrival_reports.hpp"
#include "network/transport/congestion_control.hpp"

namespace lightrail {

namespace {

/// The part that `spec` describes; its kind and place among the specs are not set.
Part part_of_traits(const Spec& spec) {
  Part part;
  if (const DeviceTraits* traits = traits_of(spec)) {
    part.role = traits->role();
    part.radix = traits->radix();
    part.arrival = traits->arrival_latency();
  }
  if (const auto* optical = dynamic_cast<const OpticalSwitchTraits*>(&spec)) {
    part.is_bidirectional = optical->is_bidirectional();
    part.darkens_all = optical->darkens_all();
    part.passing_loss = optical->path_loss();
  }
  if (const auto* controller = dynamic_cast<const ControllerTraits*>(&spec)) {
    part.is_one_way = controller->makes_one_way_circuits();
    part.control_latency = controller->control_latency();
  }
  return part;
}

constexpr const char* limit_text = "the system is too large: ";

}  // namespace

SystemBuilder::SystemBuilder(const KindRegistry& kinds, TrainSettings trains, ErrorList& errors)
    : kinds_(kinds), trains_(trains), errors_(errors) {}

std::optional<Part> SystemBuilder::part(const std::string& kind_name, const Element& element) {
  auto kind = kinds_.find(kind_name);
  if (!kind) {
    const std::string near = did_you_mean(kind_name, kinds_.names());
    errors_.add(element.error(fmt::format("unknown kind of component '{}'{}", kind_name,
                                          near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near))));
    return std::nullopt;
  }
  const std::size_t before = errors_.size();
  std::shared_ptr<const Spec> spec = kind->make_spec(element, errors_);
  if (!spec || errors_.size() > before) return std::nullopt;
  Part part = part_of_traits(*spec);
  std::size_t k = 0;
  while (k < model_.kinds.size() && model_.kinds[k] != kind) ++k;
  if (k == model_.kinds.size()) model_.kinds.push_back(kind);
  part.kind = static_cast<std::uint16_t>(k);
  part.spec = static_cast<std::uint32_t>(model_.specs.size());
  model_.specs.push_back(std::move(spec));
  places_.places.push_back(element.error(""));
  part_of_spec_.resize(model_.specs.size());
  part_of_spec_[part.spec] = part;
  return part;
}

void SystemBuilder::check_circulators(const Part& ocs, std::uint32_t cable, const InputError& place) {
  const auto& optics = cable_at(cable).optics;
  if (!optics || (optics->circulators > 0) == ocs.is_bidirectional) return;
  errors_.add(
      {place.file, place.line,
       ocs.is_bidirectional
           ? "a bidirectional optical switch needs links with 'circulators': both directions in one fibre"
           : "circulators on a link to an optical switch that is not bidirectional: each direction "
             "has a path of its own"});
}

std::optional<std::uint32_t> SystemBuilder::cable(const Element& link) {
  const std::size_t before = errors_.size();
  Cable cable = read_cable(link, errors_);
  if (errors_.size() > before) return std::nullopt;
  std::string key = cable.name + '\n' + cable.medium;
  for (const ParameterValue& value : cable.values) key += '\n' + value.name + '=' + value.value;
  const auto next = static_cast<std::uint32_t>(table_.cables.size());
  const auto [place, is_new] = cable_index_.emplace(std::move(key), next);
  if (is_new) table_.cables.push_back(std::move(cable));
  return place->second;
}

std::uint32_t SystemBuilder::share_of(std::uint32_t whole, std::uint32_t share, std::uint32_t shares) {
  const auto [place, is_new] = cable_index_.emplace(fmt::format("{} of {} / {}", whole, share, shares),
                                                    static_cast<std::uint32_t>(table_.cables.size()));
  if (!is_new) return place->second;
  Cable cable = table_.cables[whole];
  cable.name += fmt::format(" ({} of {})", share, shares);
  cable.rate.value = cable.rate.value / shares * share + cable.rate.value % shares * share / shares;
  table_.cables.push_back(std::move(cable));
  return place->second;
}

std::uint32_t SystemBuilder::prefix(const std::string& text) {
  const auto [place, is_new] =
      prefixes_.emplace(text, static_cast<std::uint32_t>(model_.name_prefixes.size()));
  if (is_new) model_.name_prefixes.push_back(text);
  return place->second;
}

ComponentId SystemBuilder::add(const Part& part, std::uint32_t port_count, std::uint32_t prefix,
                               std::uint32_t number, AtomId atom) {
  LIGHTRAIL_EXPECT(port_count < self_port);
  ComponentRecord record;
  record.first_port = static_cast<std::uint32_t>(model_.ports.size());
  record.port_count = static_cast<std::uint16_t>(port_count);
  record.kind = part.kind;
  record.spec = part.spec;
  record.atom = atom;
  record.name_prefix = prefix;
  record.number = number;
  model_.components.push_back(record);
  model_.ports.resize(model_.ports.size() + port_count);
  return ComponentId{static_cast<std::uint32_t>(model_.components.size() - 1)};
}

bool SystemBuilder::is_connected(ComponentId id, std::uint32_t port) const {
  const ComponentRecord& record = model_.components[id.value];
  LIGHTRAIL_EXPECT(port < record.port_count);
  return model_.ports[record.first_port + port].out.is_valid();
}

void SystemBuilder::connect(ComponentId a, std::uint32_t port_a, ComponentId b, std::uint32_t port_b,
                            std::uint32_t cable) {
  LIGHTRAIL_EXPECT(!is_connected(a, port_a) && !is_connected(b, port_b));
  const auto forth = static_cast<std::uint32_t>(model_.links.size());
  const auto pa = static_cast<PortIndex>(port_a), pb = static_cast<PortIndex>(port_b);
  model_.links.push_back({a, b, pa, pb, link_class(cable, a, b)});
  model_.links.push_back({b, a, pb, pa, link_class(cable, b, a)});
  model_.ports[model_.components[a.value].first_port + port_a].out = LinkId{forth};
  model_.ports[model_.components[b.value].first_port + port_b].out = LinkId{forth + 1};
}

void SystemBuilder::connect_control(ComponentId a, std::uint32_t port_a, ComponentId b, std::uint32_t port_b,
                                    SimTime latency) {
  std::size_t index = 0;
  while (index < model_.link_classes.size() &&
         (model_.link_classes[index].medium != "control" || model_.link_classes[index].latency != latency))
    ++index;
  if (index == model_.link_classes.size()) {
    LinkClass link;
    link.name = link.medium = "control";
    link.latency = std::max(latency, SimTime{1});
    model_.link_classes.push_back(std::move(link));
    table_.cable_of_class.push_back(no_cable);
  }
  LIGHTRAIL_EXPECT(!is_connected(a, port_a) && !is_connected(b, port_b));
  const auto forth = static_cast<std::uint32_t>(model_.links.size());
  const auto pa = static_cast<PortIndex>(port_a), pb = static_cast<PortIndex>(port_b);
  const auto link_class = static_cast<std::uint16_t>(index);
  model_.links.push_back({a, b, pa, pb, link_class});
  model_.links.push_back({b, a, pb, pa, link_class});
  model_.ports[model_.components[a.value].first_port + port_a].out = LinkId{forth};
  model_.ports[model_.components[b.value].first_port + port_b].out = LinkId{forth + 1};
}

std::uint16_t SystemBuilder::link_class(std::uint32_t cable, ComponentId from, ComponentId to) {
  const Part &sender = part_of(from), &receiver = part_of(to);
  const CableEnds ends = sender.is_ocs() ? (receiver.is_ocs() ? CableEnds::between_ocs : CableEnds::from_ocs)
                                         : (receiver.is_ocs() ? CableEnds::to_ocs : CableEnds::both);
  const auto key = std::make_tuple(cable, static_cast<int>(ends), receiver.arrival.count());
  if (auto it = classes_.find(key); it != classes_.end()) return it->second;
  const std::uint16_t index =
      add_class(evaluate(table_.cables[cable], ends, receiver.arrival, trains_), cable);
  classes_.emplace(key, index);
  return index;
}

std::uint16_t SystemBuilder::add_class(LinkClass link, std::uint32_t cable) {
  if (model_.link_classes.size() >= std::numeric_limits<std::uint16_t>::max())
    throw InputErrors(
        InputError{"", 0, limit_text + std::string("more than 65,535 different kinds of link")});
  model_.link_classes.push_back(std::move(link));
  table_.cable_of_class.push_back(cable);
  return static_cast<std::uint16_t>(model_.link_classes.size() - 1);
}

void SystemBuilder::degrade(const DegradedLinks& degraded) {
  const std::uint16_t index = add_class(degraded.now, table_.cable_of_class[degraded.was]);
  for (const LinkId link : degraded.links) model_.links[link.value].link_class = index;
}

void SystemBuilder::set_lids(AddressBook& of, const std::vector<ComponentId>& nics) const {
  for (std::size_t e = 0; e < of.endpoints.size(); ++e)
    if (auto it = lid_of_nic.find(nics[e].value); nics[e].is_valid() && it != lid_of_nic.end())
      of.endpoints[e].lid = Lid{it->second};
}

Model SystemBuilder::take() {
  set_lids(book, nic_of_endpoint);
  for (const NicRole role : host_networks) {
    auto& [own, nics] = behind_host(role);
    if (!own) continue;
    set_lids(*own, nics);
    own->lid_count = book.lid_count;
    book.networks[role] = std::move(own);
  }
  model_.add(std::make_shared<const AddressBook>(std::move(book)));
  for (std::size_t c = 0; c < table_.cable_of_class.size(); ++c)
    if (table_.cable_of_class[c] != no_cable)
      for (const ParameterValue& value : table_.cables[table_.cable_of_class[c]].values)
        model_.parameters.push_back({"link", static_cast<std::uint32_t>(c), value});
  model_.add(std::make_shared<const SpecPlaces>(std::move(places_)));
  if (auto cap = cap_trains(model_, model_.resource<CongestionSpec>())) {
    for (DeclaredParameter& row : model_.parameters)
      if (row.element == "network" && row.value.name == "grain") {
        row.value.value = std::to_string(cap->used);
        row.value.source += ", cut: " + cap->text();
      }
    model_.add(std::move(cap));
  }
  model_.add(std::make_shared<const SendAhead>(SendAhead{trains_.send_ahead}));
  static_assert(TrainSettings{}.trains_per_message == TrainsPerMessage::usual);
  if (trains_.trains_per_message != TrainsPerMessage::usual)
    model_.add(std::make_shared<const TrainsPerMessage>(TrainsPerMessage{trains_.trains_per_message}));
  if (trains_.arrivals == ArrivalReports::batches && !has_device(model_, DeviceRole::optical_switch))
    model_.add(std::make_shared<const ToldByBatches>());
  model_.add(std::make_shared<const CableTable>(std::move(table_)));
  model_.add(std::make_shared<const LightBudgets>(std::move(budgets_)));
  return std::move(model_);
}

}  // namespace lightrail

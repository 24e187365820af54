#include "network/health/read_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <unordered_map>

#include "engine/model/kind.hpp"
#include "engine/scenario/scenario.hpp"
#include "network/port/device_traits.hpp"

namespace lightrail {
namespace {

using Outages = std::map<LinkId, std::vector<Outage>>;

/// Finds components by name; made only where there is a fault.
class Names {
 public:
  explicit Names(const Model& model) : model_(model) {
    for (std::uint32_t id = 0; id < model.components.size(); ++id)
      id_of_.emplace(model.component_name(ComponentId{id}), ComponentId{id});
  }
  [[nodiscard]] std::optional<ComponentId> find(const std::string& name) const {
    const auto it = id_of_.find(name);
    return it == id_of_.end() ? std::nullopt : std::optional(it->second);
  }
  [[nodiscard]] std::string like(const std::string& name) const {
    std::vector<std::string> those_that_fail;
    for (std::uint32_t id = 0; id < model_.components.size(); ++id)
      if (model_.kinds[model_.components[id].kind]->can_fail)
        those_that_fail.push_back(model_.component_name(ComponentId{id}));
    return did_you_mean(name, those_that_fail);
  }

 private:
  const Model& model_;
  std::unordered_map<std::string, ComponentId> id_of_;  // looked up, never iterated
};

bool can_fail(const Model& model, ComponentId id) {
  return model.kinds[model.components[id.value].kind]->can_fail;
}

/// Adds an outage of both directions of the cable at a port; false where there is none that can fail.
bool add_cable(const Model& model, ComponentId id, std::uint32_t port, const Outage& outage,
               Outages& outages) {
  const LinkId out = model.ports[model.components[id.value].first_port + port].out;
  if (!out.is_valid() || !can_fail(model, model.links[out.value].to)) return false;
  outages[out].push_back(outage);
  outages[LinkId{out.value ^ 1}].push_back(outage);
  return true;
}

/// What is wrong with the target; "" and outages otherwise.
std::string add_target(const Model& model, const Names& names, const std::string& what, const Outage& outage,
                       Outages& outages) {
  const std::size_t colon = what.rfind(':');
  const std::string name = what.substr(0, colon);
  const std::optional<ComponentId> id = names.find(name);
  if (!id) {
    const std::string guess = names.like(name);
    return fmt::format("there is no component '{}'{}", name,
                       guess.empty() ? "" : fmt::format(" (did you mean '{}'?)", guess));
  }
  if (!can_fail(model, *id))
    return fmt::format("'{}' is a {}, for which no fault is modelled", name,
                       model.kinds[model.components[id->value].kind]->name);
  const std::uint32_t ports = model.components[id->value].port_count;
  if (colon != std::string::npos) {
    std::uint32_t port = 0;
    const char* end = what.data() + what.size();
    const auto [rest, error] = std::from_chars(what.data() + colon + 1, end, port);
    if (error != std::errc{} || rest != end || port >= ports)
      return fmt::format("'{}' has no port '{}' (it has {})", name, what.substr(colon + 1), ports);
    return add_cable(model, *id, port, outage, outages)
               ? ""
               : fmt::format("no cable that can fail is at port {} of '{}'", port, name);
  }
  bool has_any = false;
  for (std::uint32_t port = 0; port < ports; ++port) has_any |= add_cable(model, *id, port, outage, outages);
  return has_any ? "" : fmt::format("'{}' has no cable that can fail", name);
}

/// What the devices themselves say of their ports. Only specs are looked at where none says anything.
HealthTable::PortChanges changes_of_devices(const Model& model) {
  const auto changes_of = [](const Spec& spec) -> std::span<const PortChange> {
    const auto* optical = dynamic_cast<const OpticalSwitchTraits*>(&spec);
    return optical ? optical->port_changes() : std::span<const PortChange>{};
  };
  HealthTable::PortChanges all;
  if (std::none_of(model.specs.begin(), model.specs.end(),
                   [&](const auto& spec) { return !changes_of(*spec).empty(); }))
    return all;
  for (std::uint32_t id = 0; id < model.components.size(); ++id)
    if (const auto own = changes_of(*model.specs[model.components[id].spec]); !own.empty())
      all[ComponentId{id}].assign(own.begin(), own.end());
  return all;
}

}  // namespace

Describe<FaultsSpec> faults_parameters() {
  const SimTime day = milliseconds(86'400'000);
  return Describe<FaultsSpec>()
      .field("detection", &FaultsSpec::detection,
             "until who sends through a link knows that it is down, or up again (default: the delay after "
             "which NCCL starts to recover)",
             SimTime{0}, day)
      .field("reconvergence", &FaultsSpec::reconvergence,
             "until static routes avoid it (default: one sweep of OpenSM); adaptive routing knows its own "
             "ports at once",
             SimTime{0}, day);
}

Describe<FaultSpec> fault_parameters() {
  return Describe<FaultSpec>()
      .required("at", &FaultSpec::at, "when it begins", SimTime{0}, time_never)
      .field("for", &FaultSpec::length, "how long it lasts (default: to the end)", SimTime{1}, time_never)
      .required("what", &FaultSpec::what,
                "a component, as nic3 or leaf2, or the cable at its port, as leaf2:17");
}

HealthTable health_of(const Model& model) {
  return {{}, {}, changes_of_devices(model)};
}

HealthTable read_faults(const Element& root, const Model& model, ErrorList& errors) {
  const Element* element = root.child("faults");
  if (!element) return health_of(model);
  FaultsSpec settings;
  faults_parameters().parse(*element, settings, errors);
  const Names names(model);
  Outages outages;
  for (const Element* child : element->children_named("fault")) {
    const std::size_t before = errors.size();
    FaultSpec fault;
    fault_parameters().parse(*child, fault, errors);
    if (errors.size() > before) continue;
    const SimTime up = fault.length > time_never - fault.at ? time_never : fault.at + fault.length;
    const std::string problem = add_target(model, names, fault.what, {fault.at, up}, outages);
    const Attribute* what = child->find("what");
    if (!problem.empty())
      errors.add({what->file, what->line, fmt::format("<fault> attribute 'what': {}", problem)});
  }
  return {{settings.detection, settings.reconvergence}, std::move(outages), changes_of_devices(model)};
}

}  // namespace lightrail

#include "network/health/fault_targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <string_view>

#include "engine/model/kind.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {
namespace {

/// Whether `text` is what `pattern` says, in which each '*' stands for any characters.
bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (text.substr(0, star) != pattern.substr(0, star)) return false;
  for (std::size_t from = star; from <= text.size(); ++from)
    if (matches(pattern.substr(star + 1), text.substr(from))) return true;
  return false;
}

std::optional<std::uint32_t> number(const std::string& text) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

}  // namespace

FaultTargets::FaultTargets(const Model& model) : model_(model) {
  for (std::uint32_t id = 0; id < model.components.size(); ++id)
    id_of_.emplace(model.component_name(ComponentId{id}), ComponentId{id});
}

bool FaultTargets::is_optical_switch(ComponentId id) const {
  return role_of(model_, id) == DeviceRole::optical_switch;
}

bool FaultTargets::can_fail(ComponentId id) const {
  return model_.kinds[model_.components[id.value].kind]->can_fail;
}

std::uint32_t FaultTargets::port_count(ComponentId id) const {
  const ComponentRecord& record = model_.components[id.value];
  return is_optical_switch(id) ? traits_of(*model_.specs[record.spec])->radix() : record.port_count;
}

LinkId FaultTargets::cable(ComponentId id, std::uint32_t port) const {
  const ComponentRecord& record = model_.components[id.value];
  const LinkId out = port < record.port_count ? model_.ports[record.first_port + port].out : LinkId{};
  if (!out.is_valid()) return {};
  return can_fail(model_.links[out.value].to) || is_of_chip(out) ? out : LinkId{};
}

std::uint32_t FaultTargets::chip_count(ComponentId id) const {
  const DeviceTraits* traits = traits_of(*model_.specs[model_.components[id.value].spec]);
  return traits ? static_cast<std::uint32_t>(traits->plane_shares().size()) : 0;
}

bool FaultTargets::is_of_chip(LinkId link) const {
  const LinkRecord& record = model_.links[link.value];
  return chip_count(record.from) > 0 || chip_count(record.to) > 0;
}

std::vector<ComponentId> FaultTargets::neighbours(ComponentId id, DeviceRole role) const {
  const ComponentRecord& record = model_.components[id.value];
  std::vector<ComponentId> found;
  for (std::uint32_t port = 0; port < record.port_count; ++port) {
    const LinkId out = model_.ports[record.first_port + port].out;
    if (!leads_to(model_, out, role)) continue;
    const ComponentId other = model_.links[out.value].to;
    if (std::find(found.begin(), found.end(), other) == found.end()) found.push_back(other);
  }
  return found;
}

std::vector<ComponentId> FaultTargets::gpus(ComponentId device) const {
  const DeviceRole role = role_of(model_, device);
  if (role == DeviceRole::gpu) return {device};
  if (role == DeviceRole::host || role == DeviceRole::nvswitch) return neighbours(device, DeviceRole::gpu);
  return {};
}

std::vector<LinkId> FaultTargets::cables_of_nics(ComponentId device) const {
  std::vector<LinkId> all;
  const DeviceRole role = role_of(model_, device);
  if (role != DeviceRole::host && role != DeviceRole::storage && role != DeviceRole::gateway) return all;
  for (const ComponentId nic : neighbours(device, DeviceRole::nic)) {
    const std::vector<LinkId> own = cables({nic, {}});
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

/// Whether it fails with what stands behind it.
bool FaultTargets::takes_others(ComponentId device) const {
  return !gpus(device).empty() || !cables_of_nics(device).empty();
}

bool FaultTargets::is_of_use(const FaultTarget& target) const {
  if (!target.port && takes_others(target.device)) return true;
  if (is_optical_switch(target.device)) return !target.port || *target.port < port_count(target.device);
  if (target.port) {
    const LinkId out = cable(target.device, *target.port);
    return out.is_valid() && (can_fail(target.device) || is_of_chip(out));
  }
  if (!can_fail(target.device)) return false;
  for (std::uint32_t port = 0; port < port_count(target.device); ++port)
    if (cable(target.device, port).is_valid()) return true;
  return false;
}

std::string FaultTargets::name_like(const std::string& name) const {
  std::vector<std::string> those_that_fail;
  for (std::uint32_t id = 0; id < model_.components.size(); ++id)
    if (can_fail(ComponentId{id}) || is_optical_switch(ComponentId{id}) || takes_others(ComponentId{id}))
      those_that_fail.push_back(model_.component_name(ComponentId{id}));
  return did_you_mean(name, those_that_fail);
}

std::string FaultTargets::find_one(const std::string& name, const std::optional<std::string>& port,
                                   FaultTarget& target) const {
  const auto known = id_of_.find(name);
  if (known == id_of_.end()) {
    const std::string guess = name_like(name);
    return fmt::format("there is no component '{}'{}", name,
                       guess.empty() ? "" : fmt::format(" (did you mean '{}'?)", guess));
  }
  target.device = known->second;
  if (!can_fail(target.device) && !is_optical_switch(target.device) && !takes_others(target.device))
    return fmt::format("'{}' is a {}, for which no fault is modelled", name,
                       model_.kinds[model_.components[target.device.value].kind]->name);
  if (port) {
    target.port = number(*port);
    if (!target.port || *target.port >= port_count(target.device))
      return port_count(target.device) == 0 ? fmt::format("'{}' has no ports", name)
                                            : fmt::format("'{}' has no port '{}' (ports 0 to {})", name,
                                                          *port, port_count(target.device) - 1);
    if (!is_of_use(target))
      return fmt::format("no cable that can fail is at port {} of '{}'", *target.port, name);
  }
  return is_of_use(target) ? "" : fmt::format("'{}' has no cable that can fail", name);
}

void FaultTargets::find_many(const std::string& pattern, const std::optional<std::string>& port,
                             std::vector<FaultTarget>& found) const {
  std::set<std::uint32_t> cables;  // by the lower of its two link ids
  for (std::uint32_t i = 0; i < model_.components.size(); ++i) {
    const ComponentId id{i};
    if (!matches(pattern, model_.component_name(id))) continue;
    if (!port && is_of_use({id, std::nullopt})) found.push_back({id, std::nullopt});
    for (std::uint32_t k = 0; port && k < port_count(id); ++k) {
      if ((*port != "*" && number(*port) != k) || !is_of_use({id, k})) continue;
      if (is_optical_switch(id) || cables.insert(cable(id, k).value & ~1u).second) found.push_back({id, k});
    }
  }
}

std::string FaultTargets::find_chip(const std::string& name, const std::string& chip,
                                    std::vector<FaultTarget>& found) const {
  const std::optional<std::uint32_t> one = number(chip);
  if (chip != "*" && !one) return fmt::format("'{}' is not the number of a chip", chip);
  const bool is_pattern = name.find('*') != std::string::npos;
  const std::size_t before = found.size();
  std::uint32_t chips = 0;
  for (std::uint32_t i = 0; i < model_.components.size(); ++i) {
    if (!matches(name, model_.component_name(ComponentId{i}))) continue;
    const std::uint32_t own = chip_count(ComponentId{i});
    chips = std::max(chips, own);
    for (std::uint32_t k = 0; k < own; ++k)
      if (one.value_or(k) == k) found.push_back({ComponentId{i}, std::nullopt, k});
  }
  if (found.size() > before) return "";
  FaultTarget whole;
  if (!is_pattern && !id_of_.contains(name)) return find_one(name, std::nullopt, whole);
  if (chips > 0) return fmt::format("'{}' has no chip '{}' (chips 0 to {})", name, chip, chips - 1);
  return fmt::format(
      "'{}' has no chips with links of their own (expected an nvswitch of plane-hash=\"flow\")", name);
}

std::string FaultTargets::find(const std::string& what, std::vector<FaultTarget>& found) const {
  if (const std::size_t slash = what.rfind('/'); slash != std::string::npos)
    return find_chip(what.substr(0, slash), what.substr(slash + 1), found);
  const std::size_t colon = what.rfind(':');
  const std::string name = what.substr(0, colon);
  std::optional<std::string> port;
  if (colon != std::string::npos) port = what.substr(colon + 1);
  if (what.find('*') == std::string::npos) {
    FaultTarget target;
    std::string problem = find_one(name, port, target);
    if (problem.empty()) found.push_back(target);
    return problem;
  }
  if (port && *port != "*" && !number(*port)) return fmt::format("'{}' is not a port number", *port);
  find_many(name, port, found);
  return found.empty() ? fmt::format("'{}' fits nothing that can fail", what) : "";
}

std::string FaultTargets::name_of(const FaultTarget& target) const {
  const std::string name = model_.component_name(target.device);
  if (target.chip) return fmt::format("{}/{}", name, *target.chip);
  return target.port ? fmt::format("{}:{}", name, *target.port) : name;
}

void FaultTargets::add(const FaultTarget& target, const Outage& outage, FaultEffects& effects) const {
  if (is_optical_switch(target.device)) {
    effects.ports[target.device][target.port.value_or(PortChange::all_ports)].push_back(outage);
    return;
  }
  const auto take_down = [&](const std::vector<LinkId>& links) {
    for (const LinkId out : links) {
      effects.links[out].push_back(outage);
      effects.links[LinkId{out.value ^ 1}].push_back(outage);
    }
  };
  if (!target.port && !target.chip && takes_others(target.device)) {
    for (const ComponentId gpu : gpus(target.device)) effects.gpus[gpu].push_back({outage});
    return take_down(cables_of_nics(target.device));
  }
  take_down(cables(target));
}

std::vector<LinkId> FaultTargets::cables(const FaultTarget& target) const {
  std::vector<LinkId> all;
  const std::uint32_t of_chip = port_count(target.device) / std::max(chip_count(target.device), 1u);
  for (std::uint32_t port = 0; port < port_count(target.device); ++port)
    if (const LinkId out = cable(target.device, port); out.is_valid() && target.port.value_or(port) == port &&
                                                       (!target.chip || port / of_chip == *target.chip))
      all.push_back(out);
  return all;
}

}  // namespace lightrail

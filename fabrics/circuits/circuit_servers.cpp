#include "fabrics/circuits/circuit_servers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "engine/scenario/scenario.hpp"
#include "fabrics/fabric_kind.hpp"

namespace lightrail {

CircuitServers circuit_servers(const Element& fabric, const std::vector<NicPlace>& nics,
                               SystemBuilder& builder) {
  CircuitServers servers;
  for (const NicPlace& nic : nics) {
    if (nic.is_storage) continue;
    if (nic.server >= servers.nics.size()) servers.nics.resize(nic.server + 1);
    servers.nics[nic.server].push_back(nic.nic);
  }
  for (const auto& own : servers.nics)
    if (own.size() != servers.nics[0].size()) {
      builder.errors().add(fabric.error("<fabric> with circuits needs servers with equally many NICs"));
      return {};
    }
  servers.gpus =
      builder.book.gpu_count / static_cast<std::uint32_t>(std::max<std::size_t>(servers.nics.size(), 1));
  if (!servers.nics.empty() && servers.nics[0].size() > servers.gpus)
    builder.errors().add(fabric.error(
        fmt::format("<fabric> with circuits needs a GPU for every NIC, not {} GPUs for {} NICs of a server",
                    servers.gpus, servers.nics[0].size())));
  return servers;
}

std::optional<CircuitFabric> circuit_fabric(const FabricBuild& fabric) {
  const CircuitServers servers = circuit_servers(fabric.element, fabric.nics, fabric.builder);
  const auto cable = fabric.links.cable_to_ocs("optical", Need::required);
  if (fabric.has_errors() || !cable) return std::nullopt;
  if (servers.nics.size() < 2)
    fabric.fail(fmt::format("<fabric kind=\"{}\"> needs two servers or more", fabric.kind.name));
  if (std::any_of(fabric.nics.begin(), fabric.nics.end(), [](const NicPlace& nic) { return nic.is_storage; }))
    fabric.fail(
        fmt::format("<fabric kind=\"{}\"> cannot attach storage: circuits join GPUs", fabric.kind.name));
  if (fabric.has_errors()) return std::nullopt;
  return CircuitFabric{servers, *cable};
}

void assign_addresses(const CircuitServers& servers, FabricBuild& fabric) {
  for (const auto& own : servers.nics)
    for (const ComponentId nic : own) fabric.builder.lid_of_nic.emplace(nic.value, fabric.counter.next_lid++);
}

std::optional<BareSwitch> read_circuit_switch(const Element& fabric, std::size_t ports,
                                              const std::string& who, SystemBuilder& builder) {
  const Element* element = only_child(fabric, "ocs", Need::required, builder.errors());
  if (!element) return std::nullopt;
  if (const Attribute* given = element->find("circuits")) {
    builder.errors().add(
        {given->file, given->line, "<ocs> attribute 'circuits': the fabric makes them itself"});
    return std::nullopt;
  }
  const std::optional<Part> part = builder.part("ocs", *element);
  if (!part) return std::nullopt;
  if (ports > part->radix) {
    builder.errors().add(element->error(
        fmt::format("{} need {} ports of one optical switch, which has {}", who, ports, part->radix)));
    return std::nullopt;
  }
  return BareSwitch{element, *part};
}

std::optional<Part> with_circuits(const BareSwitch& bare, const std::string& circuits,
                                  SystemBuilder& builder) {
  Element merged = *bare.element;
  if (!circuits.empty())
    merged.attributes.push_back({"circuits", circuits, bare.element->file, bare.element->line});
  return builder.part("ocs", merged);
}

void check_circuit_light(const Element& fabric, std::uint32_t cable, const Part& ocs,
                         SystemBuilder& builder) {
  const auto& optics = builder.cable_at(cable).optics;
  if (!optics) {
    builder.errors().add(fabric.error("<fabric> <link role=\"optical\"> must be optical"));
    return;
  }
  builder.check_circulators(ocs, cable, fabric.error(""));
  const LightBudget budget =
      light_budget(builder.cable_at(cable).name + " -> ocs -> " + builder.cable_at(cable).name,
                   {{optics.get(), "ocs", ocs.passing_loss}, {optics.get(), "", Decibel{0.0}}});
  check_budget(budget, fabric.error(""), builder.errors());
  builder.keep_budget(budget);
}

}  // namespace lightrail

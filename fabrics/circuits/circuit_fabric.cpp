#include "fabrics/circuits/circuit_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "components/controller/port_map.hpp"
#include "engine/model/require_together.hpp"
#include "engine/scenario/scenario.hpp"
#include "fabrics/circuits/circuit_servers.hpp"
#include "fabrics/patch_panel/panel_circuits.hpp"
#include "fabrics/servers/failed_nics.hpp"
#include "network/circuits/regions.hpp"

namespace lightrail {

namespace {

std::optional<Part> ocs_part(const Element& fabric, const std::vector<Regions::Circuit>& circuits,
                             const Regions& regions, std::size_t members, SystemBuilder& builder) {
  std::string text;
  for (const Regions::Circuit& c : circuits)
    text += fmt::format("{}-{} ", ocs_port(regions, c.a, c.nic_a), ocs_port(regions, c.b, c.nic_b));
  const std::size_t nics = regions.optical_nics.size();
  return circuit_switch(fabric, text, members * nics,
                        fmt::format("{} servers with {} optical NICs each", members, nics), builder);
}

/// GPU l owns NIC l * nics / gpus; where GPUs share a NIC the first one is its delegate.
std::vector<std::uint16_t> owners(std::uint32_t gpus, std::size_t nics) {
  std::vector<std::uint16_t> owner(nics, 0);
  for (std::uint32_t l = gpus; l-- > 0;) owner[l * nics / gpus] = static_cast<std::uint16_t>(l);
  return owner;
}

/// Where each member sends what is for each other one: the first server of a shortest way; of several, the
/// one that the pair's numbers choose.
std::vector<std::uint16_t> next_hops(const std::vector<Regions::Circuit>& circuits, std::uint32_t members) {
  std::vector<std::set<std::uint16_t>> joined(members);
  for (const Regions::Circuit& c : circuits) {
    joined[c.a].insert(static_cast<std::uint16_t>(c.b));
    joined[c.b].insert(static_cast<std::uint16_t>(c.a));
  }
  std::vector<std::uint16_t> next(std::size_t{members} * members, 0);
  for (std::uint32_t to = 0; to < members; ++to) {
    std::vector<std::uint32_t> hops(members, members);
    std::deque<std::uint32_t> queue{to};
    hops[to] = 0;
    while (!queue.empty()) {
      const std::uint32_t at = queue.front();
      queue.pop_front();
      for (const std::uint16_t other : joined[at])
        if (hops[other] == members) hops[other] = hops[at] + 1, queue.push_back(other);
    }
    for (std::uint32_t from = 0; from < members; ++from) {
      std::vector<std::uint16_t> good;
      for (const std::uint16_t other : joined[from])
        if (hops[other] + 1 == hops[from]) good.push_back(other);
      if (!good.empty()) next[std::size_t{from} * members + to] = good[(from + to) % good.size()];
    }
  }
  return next;
}

void place_members(Regions& regions, std::size_t servers, std::uint32_t region_servers) {
  regions.place_of_server.resize(servers);
  for (std::uint32_t s = 0; s < servers; ++s) {
    const std::uint32_t r = s / region_servers;
    if (r == regions.regions.size()) regions.regions.emplace_back();
    regions.place_of_server[s] = {r, static_cast<std::uint32_t>(regions.regions[r].servers.size())};
    regions.regions[r].servers.push_back(s);
  }
}

void connect_region(const Regions& regions, std::uint32_t r, const CircuitServers& servers, ComponentId ocs,
                    std::uint32_t cable, SystemBuilder& builder) {
  const Regions::Region& region = regions.regions[r];
  for (std::uint32_t m = 0; m < region.servers.size(); ++m)
    for (const std::uint16_t nic : regions.optical_nics)
      builder.connect(servers.nics[region.servers[m]][nic], 0, ocs, ocs_port(regions, m, nic), cable);
}

void connect_controller(std::uint32_t r, const Regions::Region& region, const Part& part, SimTime latency,
                        ComponentId ocs, std::uint32_t ocs_radix, const CircuitServers& servers,
                        SystemBuilder& builder) {
  const auto gpus = static_cast<std::uint32_t>(region.servers.size()) * servers.gpus;
  const ComponentId controller =
      builder.add(part, 1 + gpus, builder.prefix("controller"), r, builder.new_atom());
  builder.connect_control(controller, 0, ocs, ocs_radix, latency);
  for (std::uint32_t m = 0; m < region.servers.size(); ++m)
    for (std::uint32_t g = 0; g < servers.gpus; ++g) {
      const std::uint32_t endpoint = region.servers[m] * servers.gpus + g;
      builder.connect_control(controller, 1 + m * servers.gpus + g, builder.book.component_of[endpoint], 3,
                              latency);
    }
}

/// Light of a bidirectional switch goes back where it comes from.
void check_one_way(const Element& control, const Part& controller, const Part& ocs, SystemBuilder& builder) {
  if (ocs.is_bidirectional && controller.is_one_way)
    builder.errors().add(
        control.error("<controller> attribute 'algorithm': 'birkhoff-schedule' makes circuits that lead one "
                      "way each, and the <ocs> is bidirectional"));
}

}  // namespace

bool has_controller(const Element* fabric) {
  if (!fabric) return false;
  const Attribute* kind = fabric->find("kind");
  return kind &&
         ((kind->value == "mixnet" && fabric->child("controller")) || kind->value == "photonic-rails");
}

std::vector<NicPlace> build_mixnet(const Element& fabric, const FabricSpec& spec, const LinkRoles& links,
                                   BitRate packet_rate, const std::vector<NicPlace>& nics,
                                   SystemBuilder& builder) {
  ErrorList& errors = builder.errors();
  const std::size_t before = errors.size();
  const CircuitServers servers = circuit_servers(fabric, nics, builder);
  const auto cable = links.cable_to_ocs("optical", Need::required);
  const Element* control = only_child(fabric, "controller", Need::optional, errors);
  const std::optional<Part> controller = control ? builder.part("controller", *control) : std::nullopt;
  if (!control) refuse_without(fabric, {"early", "predict"}, "a <controller>", errors);
  if (errors.size() > before || !cable) return {};
  const std::size_t per_server = servers.nics[0].size();
  if (spec.optical_nics >= per_server) {
    errors.add(
        fabric.error(fmt::format("<fabric kind=\"mixnet\"> takes {} optical NICs of servers with {}: none is "
                                 "left for the packet fabric",
                                 spec.optical_nics, per_server)));
    return {};
  }

  auto regions = std::make_shared<Regions>();
  const std::size_t packet = per_server - spec.optical_nics;
  for (std::size_t i = 0; i < packet; ++i)
    regions->packet_nics.push_back(static_cast<std::uint16_t>((i + 1) * per_server / packet - 1));
  for (std::size_t i = 0; i < per_server; ++i)
    if (std::find(regions->packet_nics.begin(), regions->packet_nics.end(), i) == regions->packet_nics.end())
      regions->optical_nics.push_back(static_cast<std::uint16_t>(i));
  regions->gpu_of_nic = owners(servers.gpus, per_server);
  regions->dimension = spec.circuits_for;
  regions->is_controlled = controller.has_value();
  regions->joins_both = spec.joins_both;
  regions->gathers = spec.gathers;
  regions->scatters = spec.scatters;
  regions->predicts = spec.predicts;
  regions->prediction = spec.prediction;
  regions->is_early = spec.is_early;
  regions->circuit_rate = builder.cable_at(*cable).rate;
  regions->packet_rate = packet_rate;
  const std::uint64_t joined =
      std::min<std::uint64_t>(servers.nics.size(), spec.region_servers) * servers.gpus;
  if (controller && joined + 1 >= self_port) {
    errors.add(control->error(
        fmt::format("a controller is joined to at most {} GPUs, a region has {}", self_port - 2, joined)));
    return {};
  }
  place_members(*regions, servers.nics.size(), spec.region_servers);
  if (const std::string problem = mark_failed(spec.failed, *regions); !problem.empty()) {
    const Attribute* failed = fabric.find("failed");
    errors.add({failed->file, failed->line, "<fabric> attribute 'failed': " + problem});
    return {};
  }
  SimTime latency{};
  if (controller) latency = builder.latency_of(*controller);
  for (std::uint32_t r = 0; r < regions->regions.size(); ++r) {
    Regions::Region& region = regions->regions[r];
    const auto members = static_cast<std::uint32_t>(region.servers.size());
    region.circuits =
        place_circuits(assign_circuits(Assignment::uniform, DemandMatrix(members), regions->ports(region)),
                       *regions, region, {});
    const std::optional<Part> ocs = ocs_part(fabric, region.circuits, *regions, members, builder);
    if (!ocs) return {};
    if (r == 0) check_circuit_light(fabric, *cable, *ocs, builder);
    if (r == 0 && controller) check_one_way(*control, *controller, *ocs, builder);
    if (errors.size() > before) return {};
    const ComponentId id =
        builder.add(*ocs, ocs->radix + (controller ? 1 : 0), builder.prefix("ocs"), r, builder.new_atom());
    connect_region(*regions, r, servers, id, *cable, builder);
    if (controller) connect_controller(r, region, *controller, latency, id, ocs->radix, servers, builder);
  }

  std::vector<NicPlace> rest;
  for (const NicPlace& nic : nics)
    if (nic.is_storage || !regions->is_optical(nic.rail)) rest.push_back(nic);
  // Packet NICs keep their order as rails; GPUs receive on the one of their part of the server.
  for (NicPlace& nic : rest)
    if (!nic.is_storage)
      nic.rail = static_cast<std::uint16_t>(
          std::find(regions->packet_nics.begin(), regions->packet_nics.end(), nic.rail) -
          regions->packet_nics.begin());
  for (std::uint32_t e = 0; e < builder.book.endpoints.size(); ++e) {
    AddressBook::Entry& entry = builder.book.endpoints[e];
    if (entry.server >= servers.nics.size()) continue;
    const Regions::Place place = regions->place(entry.server);
    std::size_t i = e < builder.book.gpu_count ? entry.local * packet / servers.gpus : 0;
    while (!regions->regions[place.region].works(place.member, regions->packet_nics[i])) i = (i + 1) % packet;
    entry.nic = regions->packet_nics[i];
    builder.nic_of_endpoint[e] = servers.nics[entry.server][entry.nic];
  }
  builder.model().set_resource<Regions>(std::move(regions));
  return rest;
}

void build_topoopt(const Element& fabric, const FabricSpec& spec, const std::vector<NicPlace>& nics,
                   SystemBuilder& builder, FabricCounter& counter) {
  ErrorList& errors = builder.errors();
  const std::size_t before = errors.size();
  const auto begun = circuit_fabric(fabric, nics, builder);
  if (!begun) return;
  const CircuitServers& servers = begun->servers;
  auto regions = std::make_shared<Regions>();
  const auto per_server = static_cast<std::uint32_t>(servers.nics[0].size());
  const auto members = static_cast<std::uint32_t>(servers.nics.size());
  for (std::uint16_t i = 0; i < per_server; ++i) regions->optical_nics.push_back(i);
  regions->gpu_of_nic = owners(servers.gpus, per_server);
  regions->circuit_rate = builder.cable_at(begun->cable).rate;
  place_members(*regions, members, members);

  const auto counts = panel_circuits(fabric, spec, members, per_server, errors);
  if (!counts) return;
  Regions::Region& region = regions->regions[0];
  region.circuits = place_circuits(*counts, *regions, region, {});
  region.next_hop = next_hops(region.circuits, members);

  const std::optional<Part> ocs = ocs_part(fabric, region.circuits, *regions, members, builder);
  if (!ocs) return;
  check_circuit_light(fabric, begun->cable, *ocs, builder);
  if (errors.size() > before) return;
  const ComponentId id = builder.add(*ocs, ocs->radix, builder.prefix("ocs"), 0, builder.new_atom());
  connect_region(*regions, 0, servers, id, begun->cable, builder);
  give_addresses(servers, builder, counter);
  builder.model().set_resource<Regions>(std::move(regions));
}

}  // namespace lightrail

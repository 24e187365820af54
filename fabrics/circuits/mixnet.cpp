#include "fabrics/circuits/mixnet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "components/controller/circuit_assignment.hpp"
#include "components/controller/port_map.hpp"
#include "engine/model/require_together.hpp"
#include "engine/scenario/scenario.hpp"
#include "fabrics/circuits/mixnet_spec.hpp"
#include "fabrics/circuits/region_switch.hpp"
#include "fabrics/servers/failed_nics.hpp"
#include "network/transport/nic_returns.hpp"

namespace lightrail {

namespace {

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

/// Packet NICs are spread over the server; the others are optical.
std::shared_ptr<Regions> make_regions(const MixnetSpec& spec, const CircuitServers& servers) {
  auto regions = std::make_shared<Regions>();
  const std::size_t per_server = servers.nics[0].size(), packet = per_server - spec.optical_nics;
  for (std::size_t i = 0; i < packet; ++i)
    regions->packet_nics.push_back(static_cast<std::uint16_t>((i + 1) * per_server / packet - 1));
  for (std::size_t i = 0; i < per_server; ++i)
    if (std::find(regions->packet_nics.begin(), regions->packet_nics.end(), i) == regions->packet_nics.end())
      regions->optical_nics.push_back(static_cast<std::uint16_t>(i));
  regions->gpu_of_nic = owners(servers.gpus, per_server);
  regions->dimension = spec.circuits_for;
  regions->joins_both = spec.joins_both;
  regions->gathers = spec.gathers;
  regions->scatters = spec.scatters;
  regions->predicts = spec.predicts;
  regions->prediction = spec.prediction;
  regions->is_early = spec.is_early;
  place_members(*regions, servers.nics.size(), spec.region_servers);
  return regions;
}

/// The NICs of the packet fabric, with their numbers there as rails.
std::vector<NicPlace> packet_nics(const std::vector<NicPlace>& nics, const Regions& regions) {
  std::vector<NicPlace> rest;
  for (NicPlace nic : nics) {
    if (!nic.is_storage && regions.is_optical(nic.rail)) continue;
    if (!nic.is_storage)
      nic.rail = static_cast<std::uint16_t>(
          std::find(regions.packet_nics.begin(), regions.packet_nics.end(), nic.rail) -
          regions.packet_nics.begin());
    rest.push_back(nic);
  }
  return rest;
}

/// GPUs receive on the packet NIC of their part of the server.
void receive_on_packet_nics(const Regions& regions, const CircuitServers& servers, SystemBuilder& builder) {
  const std::size_t packet = regions.packet_nics.size();
  for (std::uint32_t e = 0; e < builder.book.endpoints.size(); ++e) {
    AddressBook::Entry& entry = builder.book.endpoints[e];
    if (entry.server >= servers.nics.size()) continue;
    const Regions::Place place = regions.place(entry.server);
    std::size_t i = e < builder.book.gpu_count ? entry.local * packet / servers.gpus : 0;
    while (!regions.regions[place.region].works(place.member, regions.packet_nics[i])) i = (i + 1) % packet;
    entry.nic = regions.packet_nics[i];
    builder.nic_of_endpoint[e] = servers.nics[entry.server][entry.nic];
  }
}

/// Builds the optical side. Returns the NICs that are left for the packet fabric, whose links have
/// `packet_rate`.
std::vector<NicPlace> build_circuits(FabricBuild& fabric, const MixnetSpec& spec, BitRate packet_rate) {
  SystemBuilder& builder = fabric.builder;
  ErrorList& errors = fabric.errors();
  const CircuitServers servers = circuit_servers(fabric.element, fabric.nics, builder);
  const auto cable = fabric.links.cable_to_ocs("optical", Need::required);
  const Element* control = only_child(fabric.element, "controller", Need::optional, errors);
  const std::optional<Part> controller = control ? builder.part("controller", *control) : std::nullopt;
  if (!control) refuse_without(fabric.element, {"early", "predict"}, "a <controller>", errors);
  if (fabric.has_errors() || !cable) return {};
  const std::size_t per_server = servers.nics[0].size();
  if (spec.optical_nics >= per_server) {
    fabric.fail(
        fmt::format("<fabric kind=\"mixnet\"> takes {} optical NICs of servers with {}: none is "
                    "left for the packet fabric",
                    spec.optical_nics, per_server));
    return {};
  }
  const std::uint64_t joined =
      std::min<std::uint64_t>(servers.nics.size(), spec.region_servers) * servers.gpus;
  if (controller && joined + 1 >= self_port) {
    errors.add(control->error(
        fmt::format("a controller is joined to at most {} GPUs, a region has {}", self_port - 2, joined)));
    return {};
  }
  const std::shared_ptr<Regions> regions = make_regions(spec, servers);
  regions->is_controlled = controller.has_value();
  regions->circuit_rate = builder.cable_at(*cable).rate;
  regions->packet_rate = packet_rate;
  if (const std::string problem = mark_failed(spec.failed, *regions); !problem.empty()) {
    const Attribute* failed = fabric.element.find("failed");
    errors.add({failed->file, failed->line, "<fabric> attribute 'failed': " + problem});
    return {};
  }
  SimTime latency{};
  if (controller) latency = controller->control_latency;
  for (std::uint32_t r = 0; r < regions->regions.size(); ++r) {
    Regions::Region& region = regions->regions[r];
    const auto members = static_cast<std::uint32_t>(region.servers.size());
    region.circuits =
        place_circuits(assign_circuits(Assignment::uniform, DemandMatrix(members), regions->ports(region)),
                       *regions, region, {});
    const std::optional<Part> ocs = region_switch(fabric, region.circuits, *regions, members);
    if (!ocs) return {};
    if (r == 0) check_circuit_light(fabric.element, *cable, *ocs, builder);
    if (r == 0 && controller) check_one_way(*control, *controller, *ocs, builder);
    if (fabric.has_errors()) return {};
    const ComponentId id =
        builder.add(*ocs, ocs->radix + (controller ? 1 : 0), builder.prefix("ocs"), r, builder.new_atom());
    connect_region(*regions, r, servers, id, *cable, builder);
    if (controller) connect_controller(r, region, *controller, latency, id, ocs->radix, servers, builder);
  }
  receive_on_packet_nics(*regions, servers, builder);
  std::vector<NicPlace> rest = packet_nics(fabric.nics, *regions);
  const LostTrains lost = regions->is_controlled ? LostTrains::from_gpu : LostTrains::from_nic_then_gpu;
  builder.add_resource<NicReturns>(std::make_shared<NicReturns>(NicReturns{StrayTrains::to_gpu, lost}));
  builder.add_resource<Regions>(regions);
  return rest;
}

void build(FabricBuild& fabric, const MixnetSpec& spec) {
  if (spec.predicts != Prediction::on && spec.prediction < 1) {
    const Attribute* quality = fabric.element.find("prediction");
    fabric.errors().add({quality->file, quality->line,
                         "<fabric> attribute 'prediction' has no effect without predict=\"on\""});
  }
  const std::optional<ClosParts> parts = read_fat_tree(fabric, spec);
  if (fabric.has_errors() || !fabric.require_nics()) return;
  const std::vector<NicPlace> rest = build_circuits(fabric, spec, fabric.builder.cable_at(parts->host).rate);
  if (!fabric.has_errors()) build_fat_tree(fabric, spec, *parts, rest);
}

}  // namespace

std::shared_ptr<const FabricKind> mixnet_kind() {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "mixnet";
  kind->takes_storage = false;
  kind->doc =
      "Some NICs of each server are joined by an optical switch for each region of servers, with a "
      "<controller> or circuits that stay; a fat tree joins the others (MixNet).";
  kind->link_roles = clos_link_roles;
  kind->link_roles.emplace_back("optical");
  kind->has_controller = [](const Element& fabric) { return fabric.child("controller") != nullptr; };
  bind_fabric(*kind, mixnet_table(), build);
  document_chosen(*kind);
  return kind;
}

}  // namespace lightrail

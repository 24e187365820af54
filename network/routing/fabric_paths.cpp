#include "network/routing/fabric_paths.hpp"

#include <cstddef>
#include <functional>
#include <queue>
#include <utility>

#include "engine/base/error.hpp"
#include "network/port/device_traits.hpp"
#include "network/routing/packet_switch_spec.hpp"

namespace lightrail {

FabricPaths::FabricPaths(const Model& model) : node_of_(model.components.size(), none) {
  if (const auto* tables = model.resource<RoutingTables>()) routes_ = tables->routes;
  for (std::uint32_t c = 0; c < model.components.size(); ++c)
    if (role_of(model, ComponentId{c}) == DeviceRole::packet_switch) add_switch(model, ComponentId{c});
  for (Hop& hop : hops_)
    if (hop.nic.is_valid()) hop.next = node_of_[hop.nic.value];
  number_fabrics();
  for (std::uint32_t c = 0; c < model.components.size(); ++c)
    if (node_of_[c] == none) add_cables(model, ComponentId{c});
}

void FabricPaths::add_switch(const Model& model, ComponentId id) {
  const ComponentRecord& record = model.components[id.value];
  const auto* spec = dynamic_cast<const PacketSwitchSpec*>(model.specs[record.spec].get());
  const auto* tables = model.resource<RoutingTables>();
  if (!spec || !tables || !tables->route_of.contains(id.value))
    throw InputErrors(InputError{
        "", 0,
        model.component_name(id) + (spec ? " has no routes" : " is of a kind whose latency is not known")});
  node_of_[id.value] = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(
      {tables->route_of.at(id.value), static_cast<std::uint32_t>(hops_.size()), none, spec->latency});
  for (std::uint32_t port = 0; port < record.port_count; ++port) {
    Hop& hop = hops_.emplace_back();
    const LinkId out = model.ports[record.first_port + port].out;
    if (!out.is_valid()) continue;
    hop.nic = model.links[out.value].to;
    hop.latency = model.link_classes[model.links[out.value].link_class].latency;
  }
}

/// In the order of their first switches.
void FabricPaths::number_fabrics() {
  std::vector<std::uint32_t> open;
  for (std::uint32_t first = 0; first < nodes_.size(); ++first) {
    if (nodes_[first].fabric != none) continue;
    nodes_[first].fabric = fabrics_;
    open.push_back(first);
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const Hop& hop : hops_of(at)) {
        if (hop.next == none || nodes_[hop.next].fabric != none) continue;
        nodes_[hop.next].fabric = fabrics_;
        open.push_back(hop.next);
      }
    }
    ++fabrics_;
  }
}

void FabricPaths::add_cables(const Model& model, ComponentId nic) {
  const ComponentRecord& record = model.components[nic.value];
  for (std::uint32_t port = 0; port < record.port_count; ++port) {
    const LinkId out = model.ports[record.first_port + port].out;
    if (!out.is_valid()) continue;
    const std::uint32_t node = node_of_[model.links[out.value].to.value];
    if (node != none)
      attached_.push_back({nic, out, node, nodes_[node].fabric, routes_[nodes_[node].route].role});
  }
}

std::optional<FabricPaths::Path> FabricPaths::path(std::uint32_t from_switch, Lid lid) const {
  Path path;
  std::uint32_t at = from_switch;
  // Routes that lead in a circle pass some switch twice.
  for (std::size_t steps = 0; steps <= nodes_.size(); ++steps) {
    const Node& node = nodes_[at];
    path.latency += node.latency;
    const SwitchRoute::Candidates ports = routes_[node.route].candidates(lid);
    if (ports.count == 0) return std::nullopt;
    const Hop& hop = hops_[node.first_hop + ports[0]];
    if (hop.next == none) {
      if (!hop.nic.is_valid()) return std::nullopt;
      path.nic = hop.nic;
      path.switch_index = at;
      return path;
    }
    path.latency += hop.latency;
    at = hop.next;
  }
  return std::nullopt;
}

std::vector<SimTime> FabricPaths::nearest(std::span<const std::uint32_t> from) const {
  std::vector<SimTime> least(nodes_.size(), time_never);
  using Open = std::pair<SimTime, std::uint32_t>;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  const auto reach = [&](std::uint32_t node, SimTime head) {
    const SimTime through = head + nodes_[node].latency;
    if (through >= least[node]) return;
    least[node] = through;
    open.emplace(through, node);
  };
  for (const std::uint32_t node : from) reach(node, SimTime{0});
  while (!open.empty()) {
    const auto [time, node] = open.top();
    open.pop();
    if (time > least[node]) continue;
    for (const Hop& hop : hops_of(node))
      if (hop.next != none) reach(hop.next, time + hop.latency);
  }
  return least;
}

}  // namespace lightrail

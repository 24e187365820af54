#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fabrics/graph/graph.hpp"

namespace lightrail {

namespace {

bool is_server_part(DeviceRole role) {
  switch (role) {
    case DeviceRole::gpu:
    case DeviceRole::nvswitch:
    case DeviceRole::nic:
    case DeviceRole::host:
    case DeviceRole::storage:
    case DeviceRole::gateway:
      return true;
    case DeviceRole::packet_switch:
    case DeviceRole::optical_switch:
    case DeviceRole::controller:
    case DeviceRole::other:
      return false;
  }
  return false;
}
bool is_fabric_end(const GraphNode& node, std::uint32_t port) {
  return !is_server_part(node.role) || (node.role == DeviceRole::nic && port == 0);
}

/// What may stand at the far end of a port of a built-in server part; empty: anything a fabric is made of.
std::set<DeviceRole> partners(const GraphNode& node, std::uint32_t port) {
  switch (node.role) {
    case DeviceRole::gpu:
      return {port == 0 ? DeviceRole::nvswitch : port == 1 ? DeviceRole::nic : DeviceRole::host};
    case DeviceRole::nvswitch:
      return {DeviceRole::gpu};
    case DeviceRole::host:
      return {DeviceRole::gpu, DeviceRole::nic};
    case DeviceRole::storage:
    case DeviceRole::gateway:
      return {DeviceRole::nic};
    case DeviceRole::nic:
      if (port > 0) return {DeviceRole::gpu, DeviceRole::host, DeviceRole::storage};
      return {};
    case DeviceRole::packet_switch:
    case DeviceRole::optical_switch:
    case DeviceRole::controller:
    case DeviceRole::other:
      return {};
  }
  return {};
}

/// A server part as messages call it.
const char* name_of(DeviceRole role) {
  switch (role) {
    case DeviceRole::gpu:
      return "gpu";
    case DeviceRole::nvswitch:
      return "nvswitch";
    case DeviceRole::nic:
      return "nic";
    case DeviceRole::host:
      return "host";
    case DeviceRole::storage:
      return "storage";
    case DeviceRole::gateway:
      return "gateway";
    case DeviceRole::packet_switch:
      return "switch";
    case DeviceRole::optical_switch:
      return "ocs";
    case DeviceRole::controller:
      return "controller";
    case DeviceRole::other:
      return "component";
  }
  return "";
}

void check_partners(const Graph& graph, const GraphLink& link, ErrorList& errors) {
  const auto check = [&](GraphEnd near, GraphEnd far) {
    const GraphNode &node = graph.nodes[near.node], &other = graph.nodes[far.node];
    const std::set<DeviceRole> allowed = partners(node, near.port);
    const bool is_right = allowed.empty() ? is_fabric_end(other, far.port) : allowed.count(other.role) > 0;
    if (is_right) return true;
    std::string expected;
    for (const DeviceRole role : allowed)
      expected += (expected.empty() ? "" : " or ") + std::string(name_of(role));
    errors.add(link.element->error(fmt::format(
        "<link> joins port {} of {} '{}' to {} '{}' (expected {})", near.port, node.kind, node.name,
        other.kind, other.name, expected.empty() ? "a switch, an ocs or port 0 of a nic" : expected)));
    return false;
  };
  if (check(link.a, link.b)) check(link.b, link.a);
}

/// Ports 0 ... highest used; devices with a radix have all their ports.
void count_ports(Graph& graph, ErrorList& errors) {
  std::vector<std::set<std::uint32_t>> used(graph.nodes.size());
  for (const GraphLink& link : graph.links) {
    used[link.a.node].insert(link.a.port);
    used[link.b.node].insert(link.b.port);
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    GraphNode& node = graph.nodes[n];
    const std::uint32_t top = used[n].empty() ? 0 : *used[n].rbegin() + 1;
    node.ports = node.role == DeviceRole::gpu                        ? 3
                 : is_server_part(node.role) || node.part.radix == 0 ? top
                                                                     : node.part.radix;
    if (!node.element) continue;
    const bool is_lonely_gpu = node.role == DeviceRole::gpu && graph.count(DeviceRole::gpu) == 1;
    if (top == 0 && !is_lonely_gpu)
      errors.add(node.element->error(fmt::format("no link reaches {} '{}'", node.kind, node.name)));
    if (!is_server_part(node.role) || node.role == DeviceRole::gpu) continue;
    for (std::uint32_t port = 0; port < top; ++port)
      if (!used[n].count(port)) {
        errors.add(
            node.element->error(fmt::format("port {} of {} '{}' is dangling", port, node.kind, node.name)));
        break;
      }
  }
}

}  // namespace

std::uint32_t Graph::count(DeviceRole role) const {
  return static_cast<std::uint32_t>(std::count_if(
      nodes.begin(), nodes.end(), [&](const GraphNode& n) { return n.element && n.role == role; }));
}

std::vector<std::vector<std::int64_t>> Graph::links_by_port() const {
  std::vector<std::vector<std::int64_t>> at(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) at[n].assign(nodes[n].ports, -1);
  for (std::size_t l = 0; l < links.size(); ++l) {
    at[links[l].a.node][links[l].a.port] = static_cast<std::int64_t>(l);
    at[links[l].b.node][links[l].b.port] = static_cast<std::int64_t>(l);
  }
  return at;
}

std::uint32_t find_servers(Graph& graph, ErrorList& errors) {
  for (const GraphLink& link : graph.links) check_partners(graph, link, errors);
  count_ports(graph, errors);
  std::vector<std::uint32_t> root(graph.nodes.size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t n) {
    while (root[n] != n) n = root[n] = root[root[n]];
    return n;
  };
  for (const GraphLink& link : graph.links)
    if (!is_fabric_end(graph.nodes[link.a.node], link.a.port) &&
        !is_fabric_end(graph.nodes[link.b.node], link.b.port)) {
      const std::uint32_t a = find(link.a.node), b = find(link.b.node);
      root[std::max(a, b)] = std::min(a, b);
    }
  std::map<std::uint32_t, std::uint32_t> server_of_root;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> next_local;
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    GraphNode& node = graph.nodes[n];
    if (!node.element || !is_server_part(node.role)) continue;
    node.server =
        server_of_root.emplace(find(n), static_cast<std::uint32_t>(server_of_root.size())).first->second;
    node.local = next_local[{node.server, node.kind}]++;
  }
  for (const GraphLink& link : graph.links)
    for (auto [gpu, other] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
      const GraphNode &g = graph.nodes[gpu.node], &o = graph.nodes[other.node];
      if (g.role == DeviceRole::gpu && (o.role == DeviceRole::nvswitch || o.role == DeviceRole::host) &&
          g.local != other.port)
        errors.add(link.element->error(
            fmt::format("gpu '{}' is GPU {} of its server and so belongs to port {} of {} '{}', not {}",
                        g.name, g.local, g.local, o.kind, o.name, other.port)));
    }
  return static_cast<std::uint32_t>(server_of_root.size());
}

}  // namespace lightrail

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fabrics/graph/graph.hpp"

namespace lightrail {

namespace {

/// Nodes in the order they are built: server by server in the order of their first node, then the other
/// devices.
std::vector<std::uint32_t> build_order(const Graph& graph) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].element) order.push_back(n);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return graph.nodes[a].server < graph.nodes[b].server;
  });
  return order;
}

std::uint32_t endpoint_number(const GraphNode& node, EndpointCounter& endpoints) {
  if (node.role == DeviceRole::gpu) return endpoints.next_gpu++;
  if (node.role == DeviceRole::host) return endpoints.next_host++;
  if (node.role == DeviceRole::storage) return endpoints.next_storage++;
  return ComponentId::none;
}

/// The NIC that an endpoint receives on: at a GPU's port 1, at the lowest port of a host or storage server
/// with one.
const GraphNode* nic_of(const Graph& graph, std::uint32_t n,
                        const std::vector<std::vector<std::int64_t>>& at) {
  for (std::uint32_t port = 0; port < graph.nodes[n].ports; ++port) {
    if (at[n][port] < 0) continue;
    const GraphLink& link = graph.links[at[n][port]];
    const GraphNode& other = graph.nodes[link.a.node == n ? link.b.node : link.a.node];
    if (other.role == DeviceRole::nic) return &other;
  }
  return nullptr;
}

void set_endpoints(const Graph& graph, std::uint32_t first_server, SystemBuilder& builder) {
  const auto at = graph.links_by_port();
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode& node = graph.nodes[n];
    if (!node.element ||
        (node.role != DeviceRole::gpu && node.role != DeviceRole::host && node.role != DeviceRole::storage))
      continue;
    const std::uint32_t endpoint = builder.model().components[node.id.value].number;
    const GraphNode* nic = nic_of(graph, n, at);
    const std::uint32_t local = node.role == DeviceRole::gpu ? node.local : 0;
    builder.book.endpoints[endpoint] = {first_server + node.server, Lid{}, static_cast<std::uint16_t>(local),
                                        static_cast<std::uint16_t>(nic ? nic->local : 0)};
    builder.book.component_of[endpoint] = node.id;
    builder.nic_of_endpoint[endpoint] = nic ? nic->id : ComponentId{};
  }
}

}  // namespace

void build_graph(Graph& graph, const std::vector<NicPlace>& cluster_nics, std::uint32_t first_server,
                 SystemBuilder& builder, EndpointCounter& endpoints, FabricCounter& counter) {
  std::uint32_t server = 0xffffffff;
  AtomId atom;
  for (const std::uint32_t n : build_order(graph)) {
    GraphNode& node = graph.nodes[n];
    const bool is_device = node.server == 0xffffffff;
    if (is_device || node.server != server || !atom.is_valid()) atom = builder.new_atom();
    server = node.server;
    node.id = builder.add(node.part, node.ports, builder.prefix("=" + node.name),
                          endpoint_number(node, endpoints), atom);
  }
  for (GraphNode& node : graph.nodes)
    if (!node.element) node.id = cluster_nics[node.local].nic;
  for (const GraphLink& link : graph.links)
    builder.connect(graph.nodes[link.a.node].id, link.a.port, graph.nodes[link.b.node].id, link.b.port,
                    link.cable);
  set_endpoints(graph, first_server, builder);

  std::vector<ComponentId> nics;
  for (const GraphNode& node : graph.nodes)
    if (node.role == DeviceRole::nic && builder.is_connected(node.id, 0)) nics.push_back(node.id);
  std::sort(nics.begin(), nics.end());
  for (const ComponentId nic : nics) builder.lid_of_nic.emplace(nic.value, counter.next_lid++);
}

}  // namespace lightrail

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "fabrics/graph/graph.hpp"

namespace lightrail {

GraphPaths::GraphPaths(const Graph& graph, std::size_t configuration)
    : graph_(graph), link_at_(graph.links_by_port()), circuit_(graph.nodes.size()) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (const auto& all = graph.nodes[n].circuits; !all.empty())
      for (const auto& [in, out] : all[std::min(configuration, all.size() - 1)]) circuit_[n][in] = out;
}

Hop GraphPaths::follow(GraphEnd from) const {
  Hop hop;
  for (std::size_t step = 0; step <= graph_.links.size(); ++step) {
    if (link_at_[from.node][from.port] < 0) return hop;
    const auto index = static_cast<std::uint32_t>(link_at_[from.node][from.port]);
    const GraphLink& link = graph_.links[index];
    const bool is_forth = link.a.node == from.node && link.a.port == from.port;
    hop.links.push_back(index);
    hop.end = is_forth ? link.b : link.a;
    if (!graph_.nodes[hop.end.node].part.is_ocs()) return hop.is_lit = true, hop;
    hop.passes.push_back(hop.end.node);
    auto circuit = circuit_[hop.end.node].find(hop.end.port);
    if (circuit == circuit_[hop.end.node].end()) return hop;
    from = {hop.end.node, circuit->second};
  }
  return hop;
}

namespace {

struct Neighbour {
  std::uint32_t port = 0, node = 0;
};

class GraphRouter {
 public:
  GraphRouter(const Graph& graph, SystemBuilder& builder, const FabricCounter& counter,
              RoutingTables& routing)
      : graph_(graph),
        builder_(builder),
        counter_(counter),
        routing_(routing),
        neighbours_(graph.nodes.size()),
        predecessors_(graph.nodes.size()) {
    const GraphPaths paths(graph, 0);
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
      const bool is_nic = graph.nodes[n].role == DeviceRole::nic;
      if (!is_nic && !is_router(n)) continue;
      for (std::uint32_t port = 0;
           port < (is_nic ? std::min(graph.nodes[n].ports, 1u) : graph.nodes[n].ports); ++port)
        if (const Hop hop = paths.follow({n, port}); hop.is_lit) {
          neighbours_[n].push_back({port, hop.end.node});
          predecessors_[hop.end.node].push_back(n);
        }
    }
  }

  void route() {
    std::map<std::uint32_t, std::uint32_t> route_of_node;
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n)
      if (is_router(n)) {
        route_of_node[n] = static_cast<std::uint32_t>(routing_.routes.size());
        routing_.route_of.emplace(graph_.nodes[n].id.value, route_of_node[n]);
        routing_.routes.emplace_back().listed.resize(std::max(counter_.next_lid, 1u));
      }
    std::uint64_t missing = 0, nics = 0;
    std::string example;
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n) {
      auto lid = builder_.lid_of_nic.find(graph_.nodes[n].id.value);
      if (graph_.nodes[n].role != DeviceRole::nic || lid == builder_.lid_of_nic.end()) continue;
      ++nics;
      const std::vector<std::uint32_t> hops = hops_to(n);
      for (const auto& [node, route] : route_of_node)
        for (const Neighbour& next : neighbours_[node])
          if (next.node == n ||
              (is_router(next.node) && hops[next.node] != far && hops[next.node] + 1 == hops[node]))
            routing_.routes[route].listed[lid->second].push_back(static_cast<PortIndex>(next.port));
      for (std::uint32_t from = 0; from < graph_.nodes.size(); ++from)
        if (from != n && graph_.nodes[from].role == DeviceRole::nic &&
            builder_.lid_of_nic.count(graph_.nodes[from].id.value) && hops[from] == far) {
          if (missing++ == 0)
            example = fmt::format("'{}' to '{}'", graph_.nodes[from].name, graph_.nodes[n].name);
        }
    }
    report(missing, nics, example);
    if (!graph_.routes.empty()) take_tables(route_of_node);
  }

 private:
  static constexpr std::uint32_t far = 0xffffffff;

  /// Anything of the graph that forwards trains by lid.
  [[nodiscard]] bool is_router(std::uint32_t n) const {
    return graph_.nodes[n].role == DeviceRole::packet_switch;
  }

  /// Links to NIC n from every switch and NIC.
  [[nodiscard]] std::vector<std::uint32_t> hops_to(std::uint32_t n) const {
    std::vector<std::uint32_t> hops(graph_.nodes.size(), far);
    std::deque<std::uint32_t> queue{n};
    hops[n] = 0;
    while (!queue.empty()) {
      const std::uint32_t node = queue.front();
      queue.pop_front();
      if (node != n && !is_router(node)) continue;
      for (const std::uint32_t before : predecessors_[node])
        if (hops[before] == far) {
          hops[before] = hops[node] + 1;
          queue.push_back(before);
        }
    }
    return hops;
  }

  /// The switches' own tables in the place of shortest paths; what they say must lead to the NIC.
  void take_tables(const std::map<std::uint32_t, std::uint32_t>& route_of_node) {
    for (const GraphRoutes& table : graph_.routes)
      for (const auto& [nic, port] : table.port_to) {
        const auto lid = builder_.lid_of_nic.find(graph_.nodes[nic].id.value);
        if (lid != builder_.lid_of_nic.end())
          routing_.routes[route_of_node.at(table.node)].listed[lid->second] = {static_cast<PortIndex>(port)};
      }
    for (const GraphRoutes& table : graph_.routes)
      for (const auto& [nic, port] : table.port_to)
        if (std::string problem = follow(table.node, nic, route_of_node); !problem.empty())
          return builder_.errors().add(table.element->error(fmt::format("<routes>: {}", problem)));
  }

  /// From a switch to a NIC, by the first port of each list: "" or why it does not get there.
  [[nodiscard]] std::string follow(std::uint32_t node, std::uint32_t nic,
                                   const std::map<std::uint32_t, std::uint32_t>& route_of_node) const {
    const std::uint32_t lid = builder_.lid_of_nic.at(graph_.nodes[nic].id.value);
    const std::string from = graph_.nodes[node].name, to = graph_.nodes[nic].name;
    for (std::size_t step = 0; step <= route_of_node.size(); ++step) {
      const auto& ports = routing_.routes[route_of_node.at(node)].listed[lid];
      const auto next =
          std::find_if(neighbours_[node].begin(), neighbours_[node].end(),
                       [&](const Neighbour& n) { return !ports.empty() && n.port == ports.front(); });
      if (next == neighbours_[node].end())
        return fmt::format("from '{}' to '{}' '{}' has no way on", from, to, graph_.nodes[node].name);
      if (next->node == nic) return "";
      if (!is_router(next->node))
        return fmt::format("from '{}' to '{}' the way ends at '{}'", from, to, graph_.nodes[next->node].name);
      node = next->node;
    }
    return fmt::format("from '{}' to '{}' the way runs in a circle", from, to);
  }

  void report(std::uint64_t missing, std::uint64_t nics, const std::string& example) {
    if (graph_.may_be_unreachable) return;
    const std::uint64_t fabric_nics = builder_.lid_of_nic.size() - nics;
    if (missing > 0)
      builder_.errors().add(
          {graph_.place.file, graph_.place.line,
           fmt::format(
               "in <graph> {} of {} ordered pairs of NICs have no path, such as {} (allow-unreachable=\"on\" "
               "accepts that)",
               missing, nics * (nics - 1), example)});
    if (nics > 0 && fabric_nics > 0)
      builder_.errors().add(
          {graph_.place.file, graph_.place.line,
           fmt::format("{} NICs are joined by <graph> and {} by <fabric>, and nothing joins the two "
                       "(allow-unreachable=\"on\" accepts that)",
                       nics, fabric_nics)});
  }

  const Graph& graph_;
  SystemBuilder& builder_;
  const FabricCounter& counter_;
  RoutingTables& routing_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
};

}  // namespace

void route_graph(const Graph& graph, SystemBuilder& builder, const FabricCounter& counter,
                 RoutingTables& routing) {
  GraphRouter(graph, builder, counter, routing).route();
}

}  // namespace lightrail

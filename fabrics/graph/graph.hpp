#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fabrics/circuits/circuits.hpp"
#include "fabrics/fabric_build.hpp"
#include "fabrics/servers/servers.hpp"
#include "network/routing/routing.hpp"

namespace lightrail {

/// A component of <graph>, or a NIC of a cluster that a link of the graph names.
struct GraphNode {
  std::string name, kind;
  DeviceRole role = DeviceRole::other;
  const Element* element = nullptr;  ///< null: a NIC of a cluster
  Part part;
  std::uint32_t ports = 0;
  ComponentId id{};                   ///< set when built
  std::uint32_t server = 0xffffffff;  ///< index among the graph's servers; none: a device of its own
  std::uint32_t local = 0;         ///< among the nodes of its kind in the server; number of a cluster's NIC
  std::vector<Circuits> circuits;  ///< ocs: at the start, then by reconfiguration
};

struct GraphEnd {
  std::uint32_t node = 0, port = 0;
};

struct GraphLink {
  GraphEnd a, b;
  std::uint32_t cable = 0;
  const Element* element = nullptr;
};

/// What a switch's own table says: <routes of="leaf0" ports="0:0 4:8-15"/>.
struct GraphRoutes {
  std::uint32_t node = 0;                          ///< the switch
  std::map<std::uint32_t, std::uint32_t> port_to;  ///< by the NIC's node: the port
  const Element* element = nullptr;
};

/// An explicit graph as the scenario gives it, checked for names and ports.
struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<GraphLink> links;
  std::vector<GraphRoutes> routes;  ///< in the place of shortest paths
  bool may_be_unreachable = false;
  InputError place;

  /// Components of a role that the graph itself adds.
  [[nodiscard]] std::uint32_t count(DeviceRole role) const;
  /// [node][port] -> link, or -1. Valid once the nodes' ports are known.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> links_by_port() const;
};

/// Reads <graph>: components, links, the circuits of optical switches. Names of NICs of clusters ("nic3",
/// below `cluster_nics`) may be used in links. Mistakes go to the builder's errors.
[[nodiscard]] Graph read_graph(const Element& element, std::uint32_t cluster_nics, SystemBuilder& builder);

/// Parameters of the element <graph>.
[[nodiscard]] std::vector<ParameterDoc> graph_documentation();

/// Finds the graph's servers: what is joined by other links than those at a NIC's port 0. Returns their
/// number.
std::uint32_t find_servers(Graph& graph, ErrorList& errors);

/// Builds the components (server by server, then devices) and cables, numbers endpoints and lids.
/// `cluster_nics` are the NICs of clusters by number.
void build_graph(Graph& graph, const std::vector<NicPlace>& cluster_nics, std::uint32_t first_server,
                 SystemBuilder& builder, EndpointCounter& endpoints, FabricCounter& counter);

/// What light or a train meets after leaving a port: it passes optical switches by their circuits.
struct Hop {
  bool is_lit = false;                ///< false: a dangling port, or an optical port without a circuit
  GraphEnd end;                       ///< where it arrives
  std::vector<std::uint32_t> links;   ///< cables on the way
  std::vector<std::uint32_t> passes;  ///< optical switches on the way
};
class GraphPaths {
 public:
  /// Circuits of the `configuration`-th reconfiguration of every optical switch (its last when it has fewer);
  /// 0: at the start.
  GraphPaths(const Graph& graph, std::size_t configuration);
  /// The way from a port, through optical switches, to the port where it ends.
  [[nodiscard]] Hop follow(GraphEnd from) const;

 private:
  const Graph& graph_;
  std::vector<std::vector<std::int64_t>> link_at_;
  std::vector<std::map<std::uint32_t, std::uint32_t>> circuit_;  ///< by node: port -> port
};

/// Shortest-path routes of the graph's switches for its lids with the circuits of the start; equal hops are
/// alternatives. Pairs of NICs that cannot reach each other are a mistake unless the graph allows it.
void route_graph(const Graph& graph, SystemBuilder& builder, const FabricCounter& counter,
                 RoutingTables& routing);

/// Checks the light budget of every lit path and keeps the budgets.
void check_light(const Graph& graph, SystemBuilder& builder);

}  // namespace lightrail

#include "fabrics/system/build_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fabrics/children.hpp"
#include "fabrics/graph/graph.hpp"
#include "fabrics/servers/connect_scheduler.hpp"
#include "fabrics/system/bill_of_materials.hpp"
#include "links/train_settings.hpp"
#include "network/health/read_degraded.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/wire/nic_role.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

namespace {

// What a train's fields hold, on fabric links and on NVLink.
static_assert(TrainSettings::max_grain <= max_packets);
static_assert(TrainSettings::max_mtu * TrainSettings::max_nvlink_grain <= UINT32_MAX);

struct Plan {
  std::vector<ServerRow> rows;  ///< clusters, then storage
  std::optional<UserRow> users;
  std::optional<Graph> graph;
  ByRole<bool> has_fabric;
  std::uint64_t gpus = 0, hosts = 0, storages = 0, servers = 0, nics = 0;
  std::uint64_t frontend_storages = 0;
  std::uint64_t nic_addresses = 0;  ///< of GPUs with several NICs

  /// Storage servers on a network of their own.
  [[nodiscard]] bool is_behind_host(const ServerRow& row) const {
    return row.is_storage && has_fabric[row.network];
  }
};

void count(Plan& plan) {
  for (const ServerRow& row : plan.rows) {
    plan.servers += row.servers;
    plan.nics += std::uint64_t{row.servers} * row.server.nics;
    if (row.is_storage) {
      plan.storages += row.servers;
      plan.frontend_storages += row.network == NicRole::frontend ? row.servers : 0;
    } else {
      plan.gpus += std::uint64_t{row.servers} * row.server.gpus;
      if (row.server.nics_per_gpu() > 1) plan.nic_addresses += std::uint64_t{row.servers} * row.server.nics;
      plan.hosts += row.server.host ? row.servers : 0;
    }
  }
  if (!plan.graph) return;
  plan.gpus += plan.graph->count(DeviceRole::gpu);
  plan.hosts += plan.graph->count(DeviceRole::host);
  plan.storages += plan.graph->count(DeviceRole::storage);
}

/// Null: the scenario has none.
std::shared_ptr<const CongestionSpec> congestion_spec(const Element& root, ErrorList& errors) {
  const Element* element = root.child("congestion-control");
  if (!element) return nullptr;
  auto spec = std::make_shared<CongestionSpec>();
  congestion_parameters().parse(*element, *spec, errors);
  return spec;
}

/// What users would not come in by, or for.
void check_users(const UserRow& users, const FabricElements& fabrics, bool has_scheduler, ErrorList& errors) {
  const auto complain = [&](const std::string& what) {
    errors.add({users.place.file, users.place.line, "<users> " + what});
  };
  if (!fabrics[NicRole::frontend].element) complain("without a <fabric for=\"frontend\">");
  if (!has_scheduler) complain("without a <workload kind=\"inference\"> that serves them");
}

/// Roles of NICs without a fabric, and fabrics without NICs.
void check_roles(const Plan& plan, const FabricElements& fabrics, const Element* graph, ErrorList& errors) {
  for (const NicRole role : host_networks) {
    const auto needs = [role](const ServerRow& row) {
      return row.server.behind_host[role].count > 0 ||
             (row.is_storage && row.network == role && role == NicRole::frontend);
    };
    if (graph && (fabrics[role].element || std::any_of(plan.rows.begin(), plan.rows.end(), needs)))
      return errors.add(graph->error(fmt::format(
          "<graph> joins NICs without roles: no {0}-nics, and no <fabric for=\"{0}\">", name_of(role))));
  }
  if (plan.graph)
    for (const GraphNode& node : plan.graph->nodes)
      if (node.element && node.element->name == "nic" && node.element->find("role"))
        errors.add(node.element->error_at("role", "<nic> attribute 'role' has no effect in a <graph>"));
  for (const NicRole role : host_networks) {
    if (fabrics[role].element) continue;
    for (const ServerRow& row : plan.rows) {
      if (const std::uint32_t count = row.server.behind_host[role].count; count > 0)
        errors.add(
            {row.place.file, row.place.line,
             fmt::format("<cluster> has servers with {} NICs of role {} that no fabric joins (expected "
                         "<fabric for=\"{}\">)",
                         count, name_of(role), name_of(role))});
      if (row.is_storage && row.network == NicRole::frontend && role == NicRole::frontend)
        errors.add({row.place.file, row.place.line,
                    R"(<storage for="frontend"> without a <fabric for="frontend">)"});
    }
  }
}

/// Servers that nothing joins, and sizes that no id can hold.
void check_plan(const Plan& plan, const Element& root, bool has_fabric, ErrorList& errors) {
  // Components of a plugin may be a system of their own.
  const bool has_others = plan.graph && plan.graph->count(DeviceRole::other) > 0;
  if (plan.gpus + plan.hosts + plan.storages == 0 && !has_others)
    return errors.add(root.error("the scenario has no components (expected <cluster> or <graph>)"));
  const std::uint64_t gateways = plan.users ? plan.users->servers : 0;
  const std::uint64_t devices = plan.gpus + plan.hosts + plan.storages + gateways;
  if (devices + plan.nic_addresses > max_endpoints)
    return errors.add(root.error(
        fmt::format("{} GPUs, {} hosts{} and {} storage servers are {} endpoints{}, more than {}", plan.gpus,
                    plan.hosts, gateways > 0 ? fmt::format(", {} machines of <users>", gateways) : "",
                    plan.storages, devices + plan.nic_addresses,
                    plan.nic_addresses > 0
                        ? fmt::format(" with the {} NICs of GPUs that have several", plan.nic_addresses)
                        : "",
                    max_endpoints)));
  const ServerRow* striped = nullptr;
  for (const ServerRow& row : plan.rows) {
    if (row.is_storage || row.server.nics_per_gpu() == 1) continue;
    if (!striped) striped = &row;
    if (row.server.striping != striped->server.striping)
      errors.add({row.place.file, row.place.line,
                  "<cluster> has servers whose 'nic-striping' is not that of the clusters before it"});
  }
  // Fabrics of their own join storage servers.
  std::uint64_t joined = plan.servers;
  for (const ServerRow& row : plan.rows) joined -= plan.is_behind_host(row) ? row.servers : 0;
  if (joined < 2) return;
  for (const ServerRow& row : plan.rows)
    if (row.server.nics == 0)
      errors.add({row.place.file, row.place.line,
                  fmt::format("a server without NICs cannot be one of {} servers", joined)});
  if (!has_fabric && !plan.graph)
    errors.add(
        root.error(fmt::format("nothing joins the {} servers (expected <fabric> or <graph>)", joined)));
}

void build_rows(const Plan& plan, SystemBuilder& builder, EndpointCounter& endpoints, ServerNics& nics) {
  builder.book.gpu_count = static_cast<std::uint32_t>(plan.gpus);
  builder.book.first_storage = static_cast<std::uint32_t>(plan.gpus + plan.hosts);
  builder.book.storage_count = static_cast<std::uint32_t>(plan.storages);
  builder.book.frontend_storage = static_cast<std::uint32_t>(plan.frontend_storages);
  builder.book.first_gateway = static_cast<std::uint32_t>(plan.gpus + plan.hosts + plan.storages);
  builder.book.gateway_count = plan.users ? plan.users->servers : 0;
  builder.book.endpoints.resize(std::size_t{builder.book.first_gateway} + builder.book.gateway_count);
  builder.book.component_of.resize(builder.book.endpoints.size());
  builder.nic_of_endpoint.resize(builder.book.endpoints.size());
  for (const NicRole role : host_networks) {
    if (!plan.has_fabric[role]) continue;
    builder.behind_host(role) = {std::make_shared<AddressBook>(builder.book),
                                 std::vector<ComponentId>(builder.book.endpoints.size())};
  }
  endpoints = {0, static_cast<std::uint32_t>(plan.gpus), static_cast<std::uint32_t>(plan.gpus + plan.hosts)};
  std::uint32_t server = 0;
  for (const ServerRow& row : plan.rows) {
    if (!row.is_storage && row.server.nics_per_gpu() > 1) builder.book.striping = row.server.striping;
    build_row(row, server, builder, endpoints, nics);
    server += row.servers;
  }
  if (plan.users) build_users(*plan.users, server, builder, endpoints, nics);
}

/// With a graph, the NICs that it does not join belong to the fabric; without a fabric they dangle.
std::vector<NicPlace> fabric_nics(const std::optional<Graph>& graph, const std::vector<NicPlace>& nics) {
  std::vector<bool> is_in_graph(nics.size(), false);
  if (graph)
    for (const GraphNode& node : graph->nodes)
      if (!node.element) is_in_graph[node.local] = true;
  std::vector<NicPlace> rest;
  for (std::size_t i = 0; i < nics.size(); ++i)
    if (!is_in_graph[i]) rest.push_back(nics[i]);
  return rest;
}

/// A cable of a graph joins a NIC to what is there; which of two would lead where is not known.
void refuse_several_ports(const Graph& graph, const std::vector<NicPlace>& nics, const Element& element,
                          SystemBuilder& builder) {
  for (const GraphNode& node : graph.nodes)
    if (!node.element && builder.fabric_ports(nics[node.local].nic) > 1)
      return builder.errors().add(element.error(fmt::format(
          "<graph> joins {}, which has two ports (expected one, or a <fabric> with dual-tor)", node.name)));
}

}  // namespace

Model build_system(const Scenario& scenario, const KindRegistry& kinds, const FabricRegistry& fabrics,
                   ErrorList& errors, bool has_scheduler) {
  const Element& root = scenario.root;
  const std::size_t before = errors.size();
  TrainSettings trains;
  const Element* network = only_child(root, "network", Need::optional, errors);
  if (network) train_settings_table().parse(*network, trains, errors);
  SystemBuilder builder(kinds, trains, errors);
  Element no_network;
  no_network.name = "network";
  builder.declare(network ? *network : no_network, train_settings_table(), trains);

  Plan plan;
  for (const Element* cluster : root.children_named("cluster"))
    plan.rows.push_back(read_cluster(*cluster, builder));
  for (const Element* storage : root.children_named("storage"))
    plan.rows.push_back(read_storage(*storage, builder));
  if (const Element* users = only_child(root, "users", Need::optional, errors))
    plan.users = read_users(*users, builder);
  std::stable_partition(plan.rows.begin(), plan.rows.end(),
                        [](const ServerRow& row) { return row.network != NicRole::frontend; });
  const FabricElements fabric = fabrics_of(root, fabrics, errors);
  const Element* graph = only_child(root, "graph", Need::optional, errors);
  const FabricKind* kind = fabric[NicRole::compute].kind;
  const bool has_fabric = kind && kind->joins_servers;
  for (const NicRole role : host_networks) plan.has_fabric[role] = fabric[role].kind != nullptr;
  if (kind && kind->has_controller(*fabric[NicRole::compute].element))
    for (ServerRow& row : plan.rows) row.server.gpu_ports = 4;
  if (has_scheduler)
    for (ServerRow& row : plan.rows) row.server.gpu_ports = 5;
  count(plan);
  if (graph && errors.size() == before)
    plan.graph = read_graph(*graph, static_cast<std::uint32_t>(plan.nics), builder);
  if (plan.graph) {
    plan.gpus = plan.hosts = plan.storages = plan.servers = plan.nics = plan.nic_addresses = 0;
    plan.frontend_storages = 0;
    count(plan);
  }
  if (errors.size() == before && plan.users) check_users(*plan.users, fabric, has_scheduler, errors);
  if (errors.size() == before) check_roles(plan, fabric, graph, errors);
  if (errors.size() == before) check_plan(plan, root, has_fabric, errors);
  if (errors.size() > before) return {};
  if (plan.graph) find_servers(*plan.graph, errors);
  if (errors.size() > before) return {};

  EndpointCounter endpoints;
  FabricResults results;
  FabricCounter& counter = results.counter;
  ServerNics all_nics;
  build_rows(plan, builder, endpoints, all_nics);
  const std::vector<NicPlace>& nics = all_nics[NicRole::compute];
  const std::vector<NicPlace> rest = fabric_nics(plan.graph, nics);
  if (has_fabric) build_fabric(fabric[NicRole::compute], NicRole::compute, rest, builder, results);
  for (const NicRole role : host_networks) {
    if (!plan.has_fabric[role]) continue;
    counter = {.next_lid = counter.next_lid};
    build_fabric(fabric[role], role, all_nics[role], builder, results);
  }
  if (errors.size() > before) return {};
  if (graph && plan.servers > 1 && !has_fabric && !rest.empty())
    errors.add(
        graph->error(fmt::format("port 0 of {} is dangling: neither <graph> nor <fabric> joins {} of {} NICs",
                                 builder.model().component_name(rest[0].nic), rest.size(), nics.size())));
  if (plan.graph) refuse_several_ports(*plan.graph, nics, *graph, builder);
  if (errors.size() > before) return {};
  if (plan.graph) {
    build_graph(*plan.graph, nics, static_cast<std::uint32_t>(plan.servers), builder, endpoints, counter);
    check_light(*plan.graph, builder);
    route_graph(*plan.graph, builder, counter, results.routing);
  }
  if (has_scheduler) connect_scheduler(root, builder);
  DegradedCables degraded;
  for (const DegradedLinks& links : read_degraded(root, builder.model(), errors)) {
    builder.degrade(links);
    degraded.links.insert(degraded.links.end(), links.links.begin(), links.links.end());
  }
  if (!degraded.links.empty())
    builder.add_resource(std::make_shared<const DegradedCables>(std::move(degraded)));
  builder.book.lid_count = counter.next_lid;
  builder.add_resource(std::make_shared<const RoutingTables>(std::move(results.routing)));
  if (!results.layouts.empty())
    builder.add_resource(std::make_shared<const FabricLayouts>(FabricLayouts{std::move(results.layouts)}));
  if (auto by_messages = fabrics_by_messages(fabric)) builder.add_resource(std::move(by_messages));
  if (auto congestion = congestion_spec(root, errors)) builder.add_resource(std::move(congestion));
  Model model = builder.take();
  if (const Element* prices = only_child(root, "prices", Need::optional, errors))
    model.add(price_network(*prices, model, errors));
  return model;
}

std::vector<std::pair<std::string, std::vector<ParameterDoc>>> system_documentation(
    const FabricRegistry& fabrics) {
  auto all = server_documentation();
  all.emplace_back("fabric", fabrics.all_parameters());
  all.emplace_back("graph", graph_documentation());
  for (auto& entry : price_documentation()) all.push_back(std::move(entry));
  for (auto& entry : link_documentation()) all.push_back(std::move(entry));
  return all;
}

}  // namespace lightrail

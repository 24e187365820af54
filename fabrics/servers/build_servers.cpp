#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "fabrics/servers/servers.hpp"
#include "network/wire/nic_role.hpp"

namespace lightrail {

namespace {

/// The fixed ports of a GPU are NVSwitch, NIC, host, controller, scheduler; then come further NICs.
std::uint32_t port_of_gpu_nic(std::uint32_t nic) {
  constexpr std::uint32_t first = 1, second = 5;
  return nic == 0 ? first : second + nic - 1;
}

/// In the book of a fabric behind hosts, where there is one.
void set_endpoint_behind(SystemBuilder& builder, NicRole role, std::uint32_t endpoint, ComponentId component,
                         AddressBook::Entry entry, ComponentId nic) {
  auto& [book, nics] = builder.behind_host(role);
  if (!book) return;
  book->endpoints[endpoint] = entry;
  book->component_of[endpoint] = component;
  nics[endpoint] = nic;
}

void set_endpoint(SystemBuilder& builder, std::uint32_t endpoint, ComponentId component,
                  AddressBook::Entry entry, ComponentId nic) {
  builder.book.endpoints[endpoint] = entry;
  builder.book.component_of[endpoint] = component;
  builder.nic_of_endpoint[endpoint] = nic;
  for (const NicRole role : host_networks)
    set_endpoint_behind(builder, role, endpoint, component, entry, ComponentId{});
}

std::uint32_t first_nic(const ServerTemplate& server, std::uint32_t gpu) {
  return static_cast<std::uint32_t>(std::uint64_t{gpu} * server.nics / server.gpus);
}

/// By NIC.
std::vector<std::uint32_t> attached_gpus(const ServerTemplate& server) {
  std::vector<std::uint32_t> count(server.nics, 0);
  if (server.nics > 0)
    for (std::uint32_t l = 0; l < server.gpus; ++l)
      for (std::uint32_t i = 0; i < server.nics_per_gpu(); ++i) ++count[first_nic(server, l) + i];
  return count;
}

/// Ports of a GPU: several NICs have theirs behind all others.
std::uint32_t gpu_ports(const ServerTemplate& server) {
  const std::uint32_t nics = server.nics_per_gpu();
  return nics > 1 ? port_of_gpu_nic(nics - 1) + 1 : server.gpu_ports;
}

/// A GPU's links to each plane of its NVSwitch; one of all where planes have no lines of their own.
std::vector<std::uint32_t> plane_shares(const ServerTemplate& server, const SystemBuilder& builder) {
  std::vector<std::uint32_t> shares;
  if (!server.nvswitch) return shares;
  if (const DeviceTraits* traits = traits_of(builder.spec_of(*server.nvswitch)))
    shares = traits->plane_shares();
  if (shares.empty()) shares.push_back(1);
  return shares;
}

/// Ports of a GPU without those to further planes, which come behind.
std::uint32_t first_plane_port(const ServerTemplate& server) {
  return std::max(gpu_ports(server), port_of_gpu_nic(1));
}

/// Joins GPU l of a server to all planes of its NVSwitch.
void connect_planes(const ServerTemplate& server, const std::vector<std::uint32_t>& shares, ComponentId gpu,
                    ComponentId nvswitch, std::uint32_t l, SystemBuilder& builder) {
  const std::uint32_t sum = std::accumulate(shares.begin(), shares.end(), 0u);
  for (std::uint32_t k = 0; k < shares.size(); ++k)
    builder.connect(gpu, k == 0 ? 0 : first_plane_port(server) + k - 1, nvswitch, k * server.gpus + l,
                    shares.size() == 1 ? *server.nvlink : builder.share_of(*server.nvlink, shares[k], sum));
}

/// Joins GPU l, endpoint `endpoint`, to its NICs.
void connect_nics(const ServerTemplate& server, std::uint32_t endpoint, ComponentId gpu,
                  AddressBook::Entry entry, const std::vector<ComponentId>& nic,
                  std::vector<std::uint32_t>& next_port, SystemBuilder& builder) {
  const std::uint32_t nics = server.nics_per_gpu();
  for (std::uint32_t i = 0; i < nics; ++i, ++entry.nic) {
    builder.connect(gpu, port_of_gpu_nic(i), nic[entry.nic], next_port[entry.nic]++, *server.pcie);
    if (nics == 1) continue;
    builder.book.add_nic_address(EndpointId{endpoint}, entry);
    builder.nic_of_endpoint.push_back(nic[entry.nic]);
  }
}

/// Ports of a NIC before those to its devices.
std::uint32_t fabric_ports(const Part& nic, const SystemBuilder& builder) {
  return fabric_ports_of(builder.spec_of(nic));
}

/// The NICs of a role behind the host of a server.
std::vector<ComponentId> add_host_nics(const ServerTemplate& server, NicRole role, std::uint32_t index,
                                       AtomId atom, SystemBuilder& builder, EndpointCounter& endpoints,
                                       ServerNics& nics) {
  const auto& [count, part] = server.behind_host[role];
  std::vector<ComponentId> all(count);
  for (std::uint32_t n = 0; n < count; ++n) {
    all[n] = builder.add(*part, fabric_ports(*part, builder) + 1, builder.prefix(prefix_of(role) + "nic"),
                         endpoints.next_host_nic[role]++, atom);
    nics[role].push_back({all[n], index, static_cast<std::uint16_t>(n), false});
  }
  return all;
}

/// Joins the host, endpoint `endpoint`, and the GPUs behind it to NICs of a role, from port `first` of it on.
void connect_host_nics(const ServerTemplate& server, NicRole role, std::uint32_t first, std::uint32_t index,
                       const std::vector<ComponentId>& gpu, std::uint32_t first_gpu, ComponentId host,
                       std::uint32_t endpoint, const std::vector<ComponentId>& nic, SystemBuilder& builder) {
  const auto count = static_cast<std::uint32_t>(nic.size());
  if (count == 0) return;
  const auto entry = [&](std::uint32_t local, std::uint32_t own) {
    return AddressBook::Entry{index, Lid{}, static_cast<std::uint16_t>(local),
                              static_cast<std::uint16_t>(first - server.gpus + own)};
  };
  for (std::uint32_t l = 0; l < server.gpus; ++l) {
    const std::uint32_t own = l * count / server.gpus;
    set_endpoint_behind(builder, role, first_gpu + l, gpu[l], entry(l, own), nic[own]);
  }
  for (std::uint32_t n = 0; n < count; ++n)
    builder.connect(host, first + n, nic[n], fabric_ports(*server.behind_host[role].part, builder),
                    *server.pcie);
  set_endpoint_behind(builder, role, endpoint, host, entry(0, 0), nic[0]);
}

void build_server(const ServerTemplate& server, std::uint32_t index, SystemBuilder& builder,
                  EndpointCounter& endpoints, ServerNics& nics) {
  const AtomId atom = builder.new_atom();
  const std::uint32_t no_number = ComponentId::none;
  std::vector<ComponentId> gpu(server.gpus), nic(server.nics);
  const std::vector<std::uint32_t> shares = plane_shares(server, builder);
  const auto planes = static_cast<std::uint32_t>(shares.size());
  const std::uint32_t ports_of_gpu = planes > 1 ? first_plane_port(server) + planes - 1 : gpu_ports(server);
  for (ComponentId& g : gpu)
    g = builder.add(*server.gpu, ports_of_gpu, builder.prefix("gpu"), endpoints.next_gpu++, atom);
  ComponentId nvswitch, host;
  if (server.nvswitch)
    nvswitch = builder.add(*server.nvswitch, planes * server.gpus, builder.prefix("nvswitch"), index, atom);
  const std::vector<std::uint32_t> gpus_of_nic = attached_gpus(server);
  const std::uint32_t first_port = server.nics > 0 ? fabric_ports(*server.nic, builder) : 1;
  for (std::uint32_t n = 0; n < server.nics; ++n) {
    const std::uint32_t ports = first_port + gpus_of_nic[n] + (server.host ? 1 : 0);
    nic[n] = builder.add(*server.nic, ports, builder.prefix("nic"), endpoints.next_nic++, atom);
    nics[NicRole::compute].push_back({nic[n], index, static_cast<std::uint16_t>(n), false});
  }
  std::uint32_t host_ports = server.gpus + server.nics;
  for (const NicRole role : host_networks) host_ports += server.behind_host[role].count;
  if (server.host)
    host = builder.add(*server.host, host_ports, builder.prefix("host"), endpoints.next_host, atom);
  ByRole<std::vector<ComponentId>> host_nics;
  for (const NicRole role : host_networks)
    host_nics[role] = add_host_nics(server, role, index, atom, builder, endpoints, nics);

  std::vector<std::uint32_t> next_port(server.nics, first_port);
  for (std::uint32_t l = 0; l < server.gpus; ++l) {
    const std::uint32_t endpoint = endpoints.next_gpu - server.gpus + l;
    if (server.nvswitch) connect_planes(server, shares, gpu[l], nvswitch, l, builder);
    AddressBook::Entry entry{index, Lid{}, static_cast<std::uint16_t>(l), 0};
    if (server.nics > 0) {
      entry.nic = static_cast<std::uint16_t>(first_nic(server, l));
    }
    set_endpoint(builder, endpoint, gpu[l], entry, server.nics > 0 ? nic[entry.nic] : ComponentId{});
    if (server.nics > 0) connect_nics(server, endpoint, gpu[l], entry, nic, next_port, builder);
    if (server.host) builder.connect(gpu[l], 2, host, l, *server.pcie);
  }
  if (server.host) {
    for (std::uint32_t n = 0; n < server.nics; ++n)
      builder.connect(host, server.gpus + n, nic[n], next_port[n], *server.pcie);
    set_endpoint(builder, endpoints.next_host, host, {index, Lid{}, 0, 0},
                 server.nics > 0 ? nic[0] : ComponentId{no_number});
    std::uint32_t first = server.gpus + server.nics;
    for (const NicRole role : host_networks) {
      connect_host_nics(server, role, first, index, gpu, endpoints.next_gpu - server.gpus, host,
                        endpoints.next_host, host_nics[role], builder);
      first += server.behind_host[role].count;
    }
    ++endpoints.next_host;
  }
}

void build_storage(const ServerRow& row, std::uint32_t index, SystemBuilder& builder,
                   EndpointCounter& endpoints, ServerNics& nics) {
  const AtomId atom = builder.new_atom();
  const std::uint32_t endpoint = endpoints.next_storage++;
  const bool has_own_fabric = builder.behind_host(row.network).book != nullptr;
  const ComponentId storage =
      builder.add(*row.storage, row.server.nics, builder.prefix("storage"), endpoint, atom);
  ComponentId first{};
  const std::uint32_t first_port = fabric_ports(*row.server.nic, builder);
  for (std::uint32_t n = 0; n < row.server.nics; ++n) {
    const ComponentId nic =
        builder.add(*row.server.nic, first_port + 1, builder.prefix("nic"), endpoints.next_nic++, atom);
    if (n == 0) first = nic;
    const NicRole role = has_own_fabric ? row.network : NicRole::compute;
    nics[role].push_back({nic, index, static_cast<std::uint16_t>(n), true});
    builder.connect(storage, n, nic, first_port, *row.server.pcie);
  }
  set_endpoint(builder, endpoint, storage, {index, Lid{}, 0, 0}, has_own_fabric ? ComponentId{} : first);
  set_endpoint_behind(builder, row.network, endpoint, storage, {index, Lid{}, 0, 0}, first);
}

void build_gateway(const UserRow& row, std::uint32_t number, std::uint32_t server, SystemBuilder& builder,
                   EndpointCounter& endpoints, ServerNics& nics) {
  const AtomId atom = builder.new_atom();
  const std::uint32_t endpoint = builder.book.first_gateway + number;
  const ComponentId gateway =
      builder.add(*row.gateway, row.nics + 1, builder.prefix("gateway"), endpoint, atom);
  const std::uint32_t first_port = fabric_ports(*row.nic, builder);
  std::vector<ComponentId> nic(row.nics);
  for (std::uint32_t n = 0; n < row.nics; ++n) {
    nic[n] = builder.add(*row.nic, first_port + 1, builder.prefix("nic"), endpoints.next_nic++, atom);
    nics[NicRole::frontend].push_back({nic[n], server, static_cast<std::uint16_t>(n), true});
    builder.connect(gateway, n, nic[n], first_port, *row.pcie);
  }
  set_endpoint(builder, endpoint, gateway, {server, Lid{}, 0, 0}, ComponentId{});
  set_endpoint_behind(builder, NicRole::frontend, endpoint, gateway, {server, Lid{}, 0, 0}, nic[0]);
}

}  // namespace

void build_users(const UserRow& row, std::uint32_t first_server, SystemBuilder& builder,
                 EndpointCounter& endpoints, ServerNics& nics) {
  for (std::uint32_t m = 0; m < row.servers; ++m)
    build_gateway(row, m, first_server + m, builder, endpoints, nics);
}

void build_row(const ServerRow& row, std::uint32_t first_server, SystemBuilder& builder,
               EndpointCounter& endpoints, ServerNics& nics) {
  for (std::uint32_t s = 0; s < row.servers; ++s) {
    if (row.is_storage)
      build_storage(row, first_server + s, builder, endpoints, nics);
    else
      build_server(row.server, first_server + s, builder, endpoints, nics);
  }
}

}  // namespace lightrail

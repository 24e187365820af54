#include "fabrics/servers/servers.hpp"

namespace lightrail {

namespace {

void set_endpoint(SystemBuilder& builder, std::uint32_t endpoint, ComponentId component,
                  AddressBook::Entry entry, ComponentId nic) {
  builder.book.endpoints[endpoint] = entry;
  builder.book.component_of[endpoint] = component;
  builder.nic_of_endpoint[endpoint] = nic;
}

/// Port of each NIC that the next device attaches to: 0 is the fabric's.
std::vector<std::uint32_t> attached_gpus(const ServerTemplate& server) {
  std::vector<std::uint32_t> count(server.nics, 0);
  if (server.nics > 0)
    for (std::uint32_t l = 0; l < server.gpus; ++l) ++count[std::uint64_t{l} * server.nics / server.gpus];
  return count;
}

void build_server(const ServerTemplate& server, std::uint32_t index, SystemBuilder& builder,
                  EndpointCounter& endpoints, std::vector<NicPlace>& nics) {
  const AtomId atom = builder.new_atom();
  const std::uint32_t no_number = ComponentId::none;
  std::vector<ComponentId> gpu(server.gpus), nic(server.nics);
  for (ComponentId& g : gpu)
    g = builder.add(*server.gpu, server.gpu_ports, builder.prefix("gpu"), endpoints.next_gpu++, atom);
  ComponentId nvswitch, host;
  if (server.nvswitch)
    nvswitch = builder.add(*server.nvswitch, server.gpus, builder.prefix("nvswitch"), index, atom);
  const std::vector<std::uint32_t> gpus_of_nic = attached_gpus(server);
  for (std::uint32_t n = 0; n < server.nics; ++n) {
    const std::uint32_t ports = 1 + gpus_of_nic[n] + (server.host ? 1 : 0);
    nic[n] =
        builder.add(*server.nic, ports, builder.prefix("nic"), static_cast<std::uint32_t>(nics.size()), atom);
    nics.push_back({nic[n], index, static_cast<std::uint16_t>(n), false});
  }
  if (server.host)
    host = builder.add(*server.host, server.gpus + server.nics, builder.prefix("host"), endpoints.next_host,
                       atom);

  std::vector<std::uint32_t> next_port(server.nics, 1);
  for (std::uint32_t l = 0; l < server.gpus; ++l) {
    const std::uint32_t endpoint = endpoints.next_gpu - server.gpus + l;
    if (server.nvswitch) builder.connect(gpu[l], 0, nvswitch, l, *server.nvlink);
    AddressBook::Entry entry{index, Lid{}, static_cast<std::uint16_t>(l), 0};
    if (server.nics > 0) {
      entry.nic = static_cast<std::uint16_t>(std::uint64_t{l} * server.nics / server.gpus);
      builder.connect(gpu[l], 1, nic[entry.nic], next_port[entry.nic]++, *server.pcie);
    }
    if (server.host) builder.connect(gpu[l], 2, host, l, *server.pcie);
    set_endpoint(builder, endpoint, gpu[l], entry, server.nics > 0 ? nic[entry.nic] : ComponentId{});
  }
  if (server.host) {
    for (std::uint32_t n = 0; n < server.nics; ++n)
      builder.connect(host, server.gpus + n, nic[n], next_port[n], *server.pcie);
    set_endpoint(builder, endpoints.next_host++, host, {index, Lid{}, 0, 0},
                 server.nics > 0 ? nic[0] : ComponentId{no_number});
  }
}

void build_storage(const ServerRow& row, std::uint32_t index, SystemBuilder& builder,
                   EndpointCounter& endpoints, std::vector<NicPlace>& nics) {
  const AtomId atom = builder.new_atom();
  const std::uint32_t endpoint = endpoints.next_storage++;
  const ComponentId storage =
      builder.add(*row.storage, row.server.nics, builder.prefix("storage"), endpoint, atom);
  ComponentId first{};
  for (std::uint32_t n = 0; n < row.server.nics; ++n) {
    const ComponentId nic =
        builder.add(*row.server.nic, 2, builder.prefix("nic"), static_cast<std::uint32_t>(nics.size()), atom);
    if (n == 0) first = nic;
    nics.push_back({nic, index, static_cast<std::uint16_t>(n), true});
    builder.connect(storage, n, nic, 1, *row.server.pcie);
  }
  set_endpoint(builder, endpoint, storage, {index, Lid{}, 0, 0}, first);
}

}  // namespace

void build_row(const ServerRow& row, std::uint32_t first_server, SystemBuilder& builder,
               EndpointCounter& endpoints, std::vector<NicPlace>& nics) {
  for (std::uint32_t s = 0; s < row.servers; ++s) {
    if (row.is_storage)
      build_storage(row, first_server + s, builder, endpoints, nics);
    else
      build_server(row.server, first_server + s, builder, endpoints, nics);
  }
}

}  // namespace lightrail

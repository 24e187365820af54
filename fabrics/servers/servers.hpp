#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabrics/system/system_builder.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// What one <server> element describes; all servers of a cluster are made from it.
struct ServerTemplate {
  std::uint32_t gpus = 0, nics = 0;
  std::uint32_t gpu_ports = 3;  ///< 4: with one to a controller of circuits, 5: and one to a scheduler
  NicStriping striping = NicStriping::split;
  std::optional<Part> gpu, nvswitch, nic, host;
  /// NICs of a role behind hosts, joined to the host.
  struct HostNics {
    std::uint32_t count = 0;
    std::optional<Part> part;
  };
  ByRole<HostNics> behind_host;
  std::optional<std::uint32_t> nvlink, pcie;  ///< cables

  /// NICs of each GPU where every GPU has several; else 1: NIC l * nics / gpus is GPU l's, if there is one.
  [[nodiscard]] std::uint32_t nics_per_gpu() const { return gpus > 0 && nics > gpus ? nics / gpus : 1; }
};

/// <cluster servers="30"> or <storage servers="4">: equal servers in a row.
struct ServerRow {
  std::uint32_t servers = 0;
  bool is_storage = false;
  NicRole network = NicRole::storage;  ///< that storage servers stand on, if it has a fabric of its own
  ServerTemplate server;               ///< clusters
  std::optional<Part> storage;         ///< storage rows; its NICs are in server.nic, server.nics
  InputError place;
};

/// <users servers="2">: machines on the front end by which users come in.
struct UserRow {
  std::uint32_t servers = 0, nics = 1;
  std::optional<Part> gateway, nic;
  std::optional<std::uint32_t> pcie;  ///< cable
  InputError place;
};

/// A NIC that a fabric has to join, in canonical order: server by server, rail by rail.
struct NicPlace {
  ComponentId nic{};
  std::uint32_t server = 0;  ///< counted over all rows
  std::uint16_t rail = 0;    ///< index within its server
  bool is_storage = false;   ///< or of a gateway: of no server with GPUs
};

/// The NICs that fabrics have to join, by what they are for. Compute: also storage servers' where storage has
/// no fabric of its own.
using ServerNics = ByRole<std::vector<NicPlace>>;

/// Reads a <cluster> or <storage>. Mistakes go to the builder's errors and leave an incomplete row.
[[nodiscard]] ServerRow read_cluster(const Element& cluster, SystemBuilder& builder);
/// The same of <storage>: its NICs and the storage server.
[[nodiscard]] ServerRow read_storage(const Element& storage, SystemBuilder& builder);
/// The same of <users>.
[[nodiscard]] UserRow read_users(const Element& users, SystemBuilder& builder);

/// The next endpoint ids of the three ranges: GPUs, hosts, storage servers; and the next numbers of NICs.
struct EndpointCounter {
  std::uint32_t next_gpu = 0, next_host = 0, next_storage = 0;
  std::uint32_t next_nic = 0;
  ByRole<std::uint32_t> next_host_nic{};
};

/// Builds all servers of a row: one atom each, in the order GPUs, NVSwitch, NICs, host, NICs behind the host
/// by role (storage, NICs). NIC of GPU l is l * nics / gpus, and with k NICs a GPU those behind it; that of
/// another role is l * count / gpus. Appends the NICs. Where the builder has a book of their row's network,
/// storage servers' NICs are that fabric's.
void build_row(const ServerRow& row, std::uint32_t first_server, SystemBuilder& builder,
               EndpointCounter& endpoints, ServerNics& nics);

/// Builds the gateways of `row`, of which the builder's book has the ids: one atom each. Appends their NICs
/// to those of the front end. Their last port is the scheduler's.
void build_users(const UserRow& row, std::uint32_t first_server, SystemBuilder& builder,
                 EndpointCounter& endpoints, ServerNics& nics);

/// Parameters of the elements <cluster>, <server>, <storage> and <users>.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<ParameterDoc>>> server_documentation();

}  // namespace lightrail

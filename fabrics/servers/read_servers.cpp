#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabrics/children.hpp"
#include "fabrics/servers/servers.hpp"
#include "network/wire/nic_role.hpp"

namespace lightrail {

namespace {

struct ClusterSpec {
  std::uint32_t servers = 0;
};
struct ServerSpec {
  std::uint32_t gpus = 0, nics = 0, storage_nics = 0, frontend_nics = 0;
  NicStriping striping = NicStriping::split;
};
struct StorageSpec {
  std::uint32_t servers = 0, nics = 1;
  NicRole network = NicRole::storage;
};

struct UsersSpec {
  std::uint32_t servers = 0, nics = 1;
};

Describe<ClusterSpec> cluster_table() {
  Describe<ClusterSpec> table;
  table.required("servers", &ClusterSpec::servers, "equal servers of this cluster", 1u, max_endpoints);
  return table;
}

Describe<ServerSpec> server_table() {
  Describe<ServerSpec> table;
  table.required("gpus", &ServerSpec::gpus, "GPUs of the server", 1u, 1024u)
      .required("nics", &ServerSpec::nics,
                "NICs; GPU l uses NIC l * nics / gpus, and with k NICs a GPU the k from there on", 0u, 1024u)
      .field("storage-nics", &ServerSpec::storage_nics,
             "NICs of role=\"storage\", joined to the host; GPU l uses NIC l * storage-nics / gpus of them",
             0u, 64u)
      .field("frontend-nics", &ServerSpec::frontend_nics, "the same of role=\"frontend\"", 0u, 64u)
      .choice("nic-striping", &ServerSpec::striping,
              "how a GPU with several NICs spreads messages: each over all of them in equal parts, or each "
              "flow on one",
              {{"split", NicStriping::split}, {"flow", NicStriping::flow}});
  return table;
}

Describe<StorageSpec> storage_table() {
  Describe<StorageSpec> table;
  table.required("servers", &StorageSpec::servers, "equal storage servers", 1u, max_endpoints)
      .field("nics", &StorageSpec::nics, "NICs of each; requests arrive on the first", 1u, 64u)
      .choice(
          "for", &StorageSpec::network,
          "the <fabric> that joins them: that for storage (without one that of the GPUs), or that for the "
          "front end",
          {{"storage", NicRole::storage}, {"frontend", NicRole::frontend}});
  return table;
}

Describe<UsersSpec> users_table() {
  Describe<UsersSpec> table;
  table
      .required("servers", &UsersSpec::servers, "equal machines; request i comes in by machine i modulo them",
                1u, 4096u)
      .field("nics", &UsersSpec::nics, "NICs of each; tokens arrive on the first", 1u, 64u);
  return table;
}

/// A NIC in an element all of whose NICs are for one thing.
void refuse_role(const Element& parent, const char* what, ErrorList& errors) {
  if (const Element* nic = parent.child("nic"); nic && nic->find("role"))
    errors.add(nic->error_at(
        "role",
        fmt::format("<nic> attribute 'role' has no effect in <{}>: its NICs are for {}", parent.name, what)));
}

/// The <nic> of that role.
const Element* nic_child(const Element& server, NicRole role, Need need, ErrorList& errors) {
  const Element* found = nullptr;
  const std::string wanted =
      role == NicRole::compute ? "<nic>" : fmt::format("<nic role=\"{}\">", name_of(role));
  ErrorList told;  // when the NIC is read
  for (const Element* nic : server.children_named("nic")) {
    if (read_nic_role(*nic, "role", told) != role) continue;
    if (found) errors.add(nic->error(fmt::format("<server> has two {}, expected one", wanted)));
    found = nic;
  }
  if (!found && need == Need::required) errors.add(server.error(fmt::format("<server> lacks a {}", wanted)));
  if (found && need == Need::none)
    errors.add(found->error(
        fmt::format("{} has no use in this <server> (expected '{}-nics')", wanted, name_of(role))));
  return found;
}

void read_nics(const Element& element, ServerTemplate& server, SystemBuilder& builder) {
  ErrorList& errors = builder.errors();
  const auto part = [&](NicRole role, Need need) -> std::optional<Part> {
    const Element* nic = nic_child(element, role, need, errors);
    return nic ? builder.part("nic", *nic) : std::nullopt;
  };
  server.nic = part(NicRole::compute, server.nics > 0 ? Need::required : Need::optional);
  for (const NicRole role : host_networks) {
    auto& nics = server.behind_host[role];
    nics.part = part(role, nics.count > 0 ? Need::required : Need::none);
    const std::string attribute = name_of(role) + "-nics";
    if (nics.count > 0 && !element.child("host"))
      errors.add(element.error_at(
          attribute, fmt::format("<server> attribute '{}': no <host> joins them to the GPUs", attribute)));
  }
}

void read_server(const Element& element, ServerTemplate& server, SystemBuilder& builder) {
  ErrorList& errors = builder.errors();
  const std::size_t before = errors.size();
  ServerSpec spec;
  server_table().parse(element, spec, errors);
  if (errors.size() > before) return;
  server.gpus = spec.gpus;
  server.nics = spec.nics;
  server.behind_host[NicRole::storage].count = spec.storage_nics;
  server.behind_host[NicRole::frontend].count = spec.frontend_nics;
  server.striping = spec.striping;
  if (spec.nics > spec.gpus && spec.nics % spec.gpus != 0)
    errors.add(element.error(fmt::format(
        "<server> has {} NICs for {} GPUs (expected at most one a GPU, or equally many for every GPU)",
        spec.nics, spec.gpus)));
  if (const Attribute* given = element.find("nic-striping"); given && spec.nics <= spec.gpus)
    errors.add({given->file, given->line,
                fmt::format("<server> attribute 'nic-striping': {} NICs for {} GPUs leave nothing to spread",
                            spec.nics, spec.gpus)});
  server.gpu = part_child(element, "gpu", "gpu", Need::required, builder);
  server.nvswitch = part_child(element, "nvswitch", "nvswitch", Need::optional, builder);
  read_nics(element, server, builder);
  server.host = part_child(element, "host", "host", Need::optional, builder);
  const bool has_pcie = spec.nics > 0 || element.child("host");
  const LinkRoles links(element, {"nvlink", "pcie"}, builder);
  server.nvlink = links.cable("nvlink", element.child("nvswitch") ? Need::required : Need::optional);
  server.pcie = links.cable("pcie", has_pcie ? Need::required : Need::optional);
  if (spec.gpus > 1 && spec.nics == 0 && !element.child("nvswitch"))
    errors.add(element.error(fmt::format(
        "<server> has {} GPUs that nothing joins (expected an <nvswitch>, or nics > 0)", spec.gpus)));
  if (server.nvswitch && server.nvswitch->radix > 0 && server.nvswitch->radix < spec.gpus)
    errors.add(element.error(fmt::format("<server> has {} GPUs, but its <nvswitch> has {} ports", spec.gpus,
                                         server.nvswitch->radix)));
}

}  // namespace

ServerRow read_cluster(const Element& cluster, SystemBuilder& builder) {
  ServerRow row;
  row.place = cluster.error("");
  ClusterSpec spec;
  cluster_table().parse(cluster, spec, builder.errors());
  row.servers = spec.servers;
  if (const Element* server = only_child(cluster, "server", Need::required, builder.errors()))
    read_server(*server, row.server, builder);
  return row;
}

ServerRow read_storage(const Element& storage, SystemBuilder& builder) {
  ServerRow row;
  row.place = storage.error("");
  row.is_storage = true;
  StorageSpec spec;
  storage_table().parse(storage, spec, builder.errors());
  row.servers = spec.servers;
  row.server.nics = spec.nics;
  row.network = spec.network;
  refuse_role(storage, "storage", builder.errors());
  row.storage = part_child(storage, "storage-server", "storage", Need::required, builder);
  row.server.nic = part_child(storage, "nic", "nic", Need::required, builder);
  row.server.pcie = LinkRoles(storage, {"pcie"}, builder).cable("pcie", Need::required);
  return row;
}

UserRow read_users(const Element& users, SystemBuilder& builder) {
  UserRow row;
  row.place = users.error("");
  UsersSpec spec;
  users_table().parse(users, spec, builder.errors());
  row.servers = spec.servers;
  row.nics = spec.nics;
  refuse_role(users, "users", builder.errors());
  Element with_defaults;
  with_defaults.name = "gateway";
  const Element* gateway = only_child(users, "gateway", Need::optional, builder.errors());
  row.gateway = builder.part("gateway", gateway ? *gateway : with_defaults);
  row.nic = part_child(users, "nic", "nic", Need::required, builder);
  row.pcie = LinkRoles(users, {"pcie"}, builder).cable("pcie", Need::required);
  return row;
}

std::vector<std::pair<std::string, std::vector<ParameterDoc>>> server_documentation() {
  return {{"cluster", cluster_table().documentation()},
          {"server", server_table().documentation()},
          {"storage", storage_table().documentation()},
          {"users", users_table().documentation()}};
}

}  // namespace lightrail

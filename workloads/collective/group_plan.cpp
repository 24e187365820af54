#include "workloads/collective/group_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "engine/base/error.hpp"
#include "engine/model/kind.hpp"
#include "network/health/health_table.hpp"
#include "network/wire/connection.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {
namespace {

constexpr std::uint32_t none = 0xffffffff;
/// Ports of a GPU: NVLink, NIC, host (docs: fixed port layout).
constexpr std::uint32_t nvlink_port = 0, nic_port = 1, host_port = 2, second_nic_port = 5;

BitRate rate_of(const Model& model, ComponentId component, std::uint32_t port) {
  const ComponentRecord& record = model.components[component.value];
  if (port >= record.port_count) return {};
  LinkId out = model.ports[record.first_port + port].out;
  return out.is_valid() ? model.link_classes[model.links[out.value].link_class].rate : BitRate{};
}

/// The Spec of a component as `Interface`; null: it is none.
template <class Interface>
const Interface* spec_of(const Model& model, ComponentId component) {
  const std::uint32_t spec = model.components[component.value].spec;
  return spec < model.specs.size() ? dynamic_cast<const Interface*>(model.specs[spec].get()) : nullptr;
}

/// Whether an NVSwitch, or a plane of one, is joined to that port of `gpu`.
bool is_nvlink(const Model& model, ComponentId gpu, std::uint32_t port) {
  const LinkId out = model.ports[model.components[gpu.value].first_port + port].out;
  return out.is_valid() && spec_of<MulticastSpec>(model, model.links[out.value].to);
}

/// Ports of a NIC that lead to a fabric.
std::uint32_t fabric_ports_of(const Model& model, ComponentId nic) {
  const auto* plugin = spec_of<NetPluginSpec>(model, nic);
  return plugin ? plugin->fabric_ports() : 1;
}

/// Over the NIC at one port of `gpu`, by all its ports.
BitRate nic_rate_of(const Model& model, ComponentId gpu, std::uint32_t port) {
  BitRate pcie = rate_of(model, gpu, port);
  if (pcie.value == 0) return {};
  const ComponentRecord& record = model.components[gpu.value];
  ComponentId nic = model.links[model.ports[record.first_port + port].out.value].to;
  BitRate fabric{};
  for (std::uint32_t k = 0; k < fabric_ports_of(model, nic); ++k)
    fabric.value += rate_of(model, nic, k).value;
  return std::min(pcie, fabric);
}

/// Over all NICs of `gpu`.
BitRate net_rate_of(const Model& model, ComponentId gpu) {
  BitRate sum = nic_rate_of(model, gpu, nic_port);
  for (std::uint32_t port = second_nic_port; port < model.components[gpu.value].port_count; ++port)
    if (!is_nvlink(model, gpu, port)) sum.value += nic_rate_of(model, gpu, port).value;
  return sum;
}

/// NVLink, over all planes; where there is none PCIe.
BitRate local_rate_of(const Model& model, ComponentId gpu) {
  BitRate nvlink = rate_of(model, gpu, nvlink_port);
  for (std::uint32_t port = second_nic_port; port < model.components[gpu.value].port_count; ++port)
    if (is_nvlink(model, gpu, port)) nvlink.value += rate_of(model, gpu, port).value;
  return nvlink.value != 0 ? nvlink : rate_of(model, gpu, host_port);
}

/// Of the NIC that `gpu` is joined to; null: it has none.
const NetPluginSpec* net_plugin_of(const Model& model, ComponentId gpu) {
  const ComponentRecord& record = model.components[gpu.value];
  if (record.port_count <= nic_port) return nullptr;
  const LinkId out = model.ports[record.first_port + nic_port].out;
  return out.is_valid() ? spec_of<NetPluginSpec>(model, model.links[out.value].to) : nullptr;
}

const NcclDevice* device_of(const Model& model, ComponentId gpu) {
  const auto* spec = spec_of<NcclDeviceSpec>(model, gpu);
  return spec ? spec->nccl_device() : nullptr;
}

/// Of the NVSwitch that `gpu` is joined to; null: it has none.
const MulticastSpec* nvswitch_of(const Model& model, ComponentId gpu) {
  const ComponentRecord& record = model.components[gpu.value];
  if (record.port_count <= nvlink_port) return nullptr;
  const LinkId out = model.ports[record.first_port + nvlink_port].out;
  return out.is_valid() ? spec_of<MulticastSpec>(model, model.links[out.value].to) : nullptr;
}

/// From `gpu` through `nvswitch`, which it is joined to, over a second link as its own.
SimTime nvlink_path_of(const Model& model, ComponentId gpu, const MulticastSpec& nvswitch) {
  const LinkId out = model.ports[model.components[gpu.value].first_port + nvlink_port].out;
  return 2 * model.link_classes[model.links[out.value].link_class].latency + nvswitch.switching_latency();
}

/// From the NIC of `gpu` to the fabric; invalid: there is no NIC, or it has two ports, or this one fails at
/// times.
LinkId fabric_link_of(const Model& model, ComponentId gpu) {
  const ComponentRecord& record = model.components[gpu.value];
  if (record.port_count <= nic_port) return {};
  const LinkId out = model.ports[record.first_port + nic_port].out;
  if (!out.is_valid()) return {};
  const ComponentId nic = model.links[out.value].to;
  if (fabric_ports_of(model, nic) > 1) return {};
  const LinkId up = model.ports[model.components[nic.value].first_port].out;
  const auto* health = model.resource<HealthTable>();
  return up.is_valid() && !(health && health->has_outages(up)) ? up : LinkId{};
}

/// The members at `place` of every server with their ways to the fabric; empty: one has no NIC of its own, or
/// several, or one that fails. What switches add has no way round, and nobody sends it again.
std::vector<ReductionTrees::Leaf> leaves_at(const Model& model, const AddressBook& book,
                                            const GroupPlan& plan, std::uint32_t place) {
  std::vector<ReductionTrees::Leaf> leaves;
  for (std::uint32_t s = 0; s < plan.servers(); ++s) {
    const EndpointId head = plan.members[plan.server_first[s] + place];
    const LinkId up = fabric_link_of(model, book.component_of[head.value]);
    const bool shares_nic =
        place > 0 && book[plan.members[plan.server_first[s] + place - 1]].nic == book[head].nic;
    if (!up.is_valid() || book.nics(head) > 1 || shares_nic) return {};
    leaves.push_back({head, up});
  }
  return leaves;
}

FabricSums no_sums(std::string obstacle) {
  FabricSums sums;
  sums.obstacle = std::move(obstacle);
  return sums;
}

FabricSums fabric_sums_of(const Model& model, const AddressBook& book, const GroupPlan& plan,
                          ReductionTrees& finder) {
  if (plan.servers() < 2 || !plan.is_even()) return no_sums("as many GPUs of each of two or more servers");
  FabricSums sums;
  sums.efficiency = 1;
  for (std::uint32_t place = 0; place < plan.members_of(0); ++place) {
    const std::vector<ReductionTrees::Leaf> leaves = leaves_at(model, book, plan, place);
    if (leaves.empty()) return no_sums("a NIC of one port for each GPU, that no fault touches");
    auto found = finder.tree(leaves, leaves.front().head.value);
    if (auto* obstacle = std::get_if<std::string>(&found)) return no_sums(std::move(*obstacle));
    auto& tree = std::get<ReductionTree>(found);
    sums.efficiency = std::min(sums.efficiency, tree.efficiency);
    if (const std::int64_t room = tree.room.value; room > 0)
      sums.room = sums.room == 0 ? room : std::min(sums.room, room);
    sums.trees.push_back(std::move(tree));
  }
  return sums;
}

/// By group kind: whether a collective asks for sums in the fabric.
std::vector<bool> kinds_with_fabric_sums(const Model& model, const GroupTable& groups) {
  std::vector<bool> result(groups.kind_count());
  const auto* algorithms = model.resource<AlgorithmRegistry>();
  const auto* set = model.resource<ProgramSet>();
  if (!algorithms || !set) return result;
  const Algorithm usual = model.resource<NcclSettings>()->algorithm;
  for (const Program& program : set->programs)
    for (const Op& op : program.ops) {
      if (op.kind != OpKind::collective || op.group.value >= result.size()) continue;
      const Algorithm wanted = op.algorithm == Algorithm::auto_select ? usual : op.algorithm;
      if (algorithms->contains(wanted) && (*algorithms)[wanted].reduces_in_fabric())
        result[op.group.value] = true;
    }
  return result;
}

/// GroupPlan::spans_hosts of a group of one server, with its members in order.
bool spans_hosts(const AddressBook& book, const std::vector<EndpointId>& members) {
  constexpr std::uint32_t max_of_host = 8, of_tray = 4;
  const EndpointId last = members.back(), ninth{members[0].value - book[members[0]].local + max_of_host};
  const bool has_trays = ninth.value < book.gpu_count && book[ninth].server == book[last].server;
  return has_trays && book[members[0]].local / of_tray != book[last].local / of_tray;
}

/// Members of [first, last) that are the first on their NIC, in order.
std::vector<std::uint32_t> entries(const AddressBook& book, const GroupPlan& plan, std::uint32_t first,
                                   std::uint32_t last) {
  std::vector<std::uint16_t> nics;
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = first; i < last; ++i) {
    const auto& entry = book[plan.members[i]];
    if (!entry.lid.is_valid() || std::find(nics.begin(), nics.end(), entry.nic) != nics.end()) continue;
    nics.push_back(entry.nic);
    places.push_back(i - first);
  }
  if (places.empty()) places.push_back(0);
  return places;
}

GroupPlan make_plan(const Model& model, const AddressBook& book, std::vector<EndpointId> members) {
  GroupPlan plan;
  std::sort(members.begin(), members.end());
  plan.members = std::move(members);
  std::vector<BitRate> local, net;
  bool is_measured = true;
  plan.nvls_efficiency = 1;
  for (std::uint32_t i = 0; i < plan.members.size(); ++i) {
    const EndpointId gpu = plan.members[i];
    if (i == 0 || book[gpu].server != book[plan.members[i - 1]].server) plan.server_first.push_back(i);
    const ComponentId component = book.component_of[gpu.value];
    plan.has_nvlink = plan.has_nvlink && rate_of(model, component, nvlink_port).value != 0;
    const MulticastSpec* nvswitch = nvswitch_of(model, component);
    plan.nvls_efficiency = std::min(plan.nvls_efficiency, nvswitch ? nvswitch->multicast_efficiency() : 0.0);
    if (nvswitch) plan.nvlink_path = std::max(plan.nvlink_path, nvlink_path_of(model, component, *nvswitch));
    const NcclDevice* device = device_of(model, component);
    is_measured = is_measured && device;
    if (device) plan.device = plan.device ? slower(*plan.device, *device) : *device;
    local.push_back(local_rate_of(model, component));
    net.push_back(net_rate_of(model, component));
    if (const NetPluginSpec* adapter = net_plugin_of(model, component))
      plan.plugin = slower(plan.plugin, adapter->net_plugin());
  }
  plan.server_first.push_back(plan.size());
  plan.spans_hosts = plan.servers() == 1 && spans_hosts(book, plan.members);
  if (!is_measured) plan.device.reset();
  plan.local_rate = *std::min_element(local.begin(), local.end());
  plan.has_equal_nvlink = plan.local_rate == *std::max_element(local.begin(), local.end());
  plan.net_rate = *std::min_element(net.begin(), net.end());

  std::vector<std::vector<std::uint32_t>> by_server;
  std::size_t channels = plan.servers() == 1 ? 1 : none;
  for (std::uint32_t s = 0; s < plan.servers(); ++s) {
    by_server.push_back(entries(book, plan, plan.server_first[s], plan.server_first[s + 1]));
    channels = std::min(channels, by_server.back().size());
  }
  plan.channels = static_cast<std::uint32_t>(std::min<std::size_t>(channels, Connection::max_channels));
  for (std::uint32_t c = 0; c < plan.channels; ++c)
    for (const auto& places : by_server) plan.entry.push_back(places[c]);
  return plan;
}

}  // namespace

BitRate receive_rate_of(const Model& model, EndpointId gpu) {
  const auto* book = model.resource<AddressBook>();
  if (!book) return {};
  const ComponentId component = book->component_of[gpu.value];
  return BitRate{local_rate_of(model, component).value + net_rate_of(model, component).value};
}

std::uint32_t GroupPlan::index_of(EndpointId gpu) const {
  auto it = std::lower_bound(members.begin(), members.end(), gpu);
  LIGHTRAIL_EXPECT(it != members.end() && *it == gpu);
  return static_cast<std::uint32_t>(it - members.begin());
}

std::vector<EndpointId> GroupPlan::rail_of(std::uint32_t index) const {
  const std::uint32_t place = index - server_first[server_of(index)];
  std::vector<EndpointId> rail;
  for (std::uint32_t s = 0; s < servers(); ++s) rail.push_back(members[server_first[s] + place]);
  return rail;
}

bool GroupPlan::is_even() const {
  for (std::uint32_t s = 1; s < servers(); ++s)
    if (members_of(s) != members_of(0)) return false;
  return true;
}

std::uint32_t GroupPlan::server_of(std::uint32_t index) const {
  return static_cast<std::uint32_t>(std::upper_bound(server_first.begin(), server_first.end(), index) -
                                    server_first.begin() - 1);
}

std::uint32_t GroupPlan::ring_position(std::uint32_t channel, std::uint32_t index) const {
  const std::uint32_t server = server_of(index);
  const std::uint32_t first = server_first[server], count = server_first[server + 1] - first;
  return first + (index - first + count - entry[channel * servers() + server]) % count;
}

EndpointId GroupPlan::ring_member(std::uint32_t channel, std::uint32_t position) const {
  position %= size();
  const std::uint32_t server = server_of(position);
  const std::uint32_t first = server_first[server], count = server_first[server + 1] - first;
  return members[first + (position - first + entry[channel * servers() + server]) % count];
}

GroupPlans::GroupPlans(const Model& model) {
  const auto* book = model.resource<AddressBook>();
  const auto* groups = model.resource<GroupTable>();
  const auto* settings = model.resource<NcclSettings>();
  LIGHTRAIL_EXPECT(book && groups && settings);
  const std::vector<bool> has_fabric_sums = kinds_with_fabric_sums(model, *groups);
  std::optional<ReductionTrees> finder;
  for (std::uint32_t k = 0; k < groups->kind_count(); ++k) {
    auto& plan_of = plan_of_.emplace_back(book->gpu_count, none);
    for (std::uint32_t gpu = 0; gpu < book->gpu_count; ++gpu) {
      if (plan_of[gpu] != none) continue;
      GroupView view = groups->group_of(GroupKindId{k}, EndpointId{gpu});
      if (view.size == 0) continue;
      std::vector<EndpointId> members;
      for (std::uint32_t m = 0; m < view.size; ++m) members.push_back(view.member(m));
      for (EndpointId member : members) plan_of[member.value] = static_cast<std::uint32_t>(plans_.size());
      plans_.push_back(make_plan(model, *book, std::move(members)));
      plans_.back().stands_for = groups->kind(GroupKindId{k}).stands_for;
      plans_.back().nccl = settings_with(*settings, plans_.back());
      if (!has_fabric_sums[k]) continue;
      if (!finder) finder.emplace(model);
      plans_.back().fabric_sums = fabric_sums_of(model, *book, plans_.back(), *finder);
    }
  }
}

const NcclSettings* GroupPlans::settings_with(const NcclSettings& base, const GroupPlan& plan) {
  NcclSettings wanted = plan.device ? base.on(*plan.device) : base;
  if (wanted.protocol == Protocol::auto_select && plan.plugin.is_simple_only)
    wanted.protocol = Protocol::simple;
  wanted.plugin = plan.plugin;
  if (plan.plugin != NetPlugin{}) wanted.net_rate = plan.net_rate;
  auto it = std::find(settings_.begin(), settings_.end(), wanted);
  return it != settings_.end() ? &*it : &settings_.emplace_back(wanted);
}

const GroupPlan& GroupPlans::of(GroupKindId kind, EndpointId gpu) const {
  std::uint32_t plan = plan_of_[kind.value][gpu.value];
  LIGHTRAIL_EXPECT(plan != none);
  return plans_[plan];
}

}  // namespace lightrail

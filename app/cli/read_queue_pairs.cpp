#include "app/cli/read_queue_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/counted.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/has_device.hpp"
#include "network/routing/packet_switch_spec.hpp"
#include "network/transport/queue_pairs.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/program/groups.hpp"

namespace lightrail {
namespace {

/// Steps of NCCL's buffers that its proxy posts at once, of a ring in Simple; of all else one (enqueue.cc,
/// sliceSteps). Which protocol a message has is not known where it is cut.
constexpr std::int64_t ring_slice_steps = 2;

/// Whether anything chooses by a hash of flows.
bool hashes_ways(const Model& model, std::uint32_t nic_ports) {
  return nic_ports > 1 || std::any_of(model.specs.begin(), model.specs.end(), [](const auto& spec) {
           const auto* packets = dynamic_cast<const PacketSwitchSpec*>(spec.get());
           return packets && packets->routing_name == "ecmp";
         });
}

}  // namespace

ModelPart read_queue_pairs(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("nccl");
  const auto* nccl = model.resource<NcclSettings>();
  const auto* book = model.resource<AddressBook>();
  if (!element || !nccl || !book || nccl->queue_pairs == 1) return {};
  const auto complain = [&](const char* name, const std::string& problem) {
    errors.add(element->error_at(name, fmt::format("<nccl> attribute '{}': {}", name, problem)));
  };
  const auto* groups = model.resource<GroupTable>();
  QueuePairs pairs{.count = nccl->queue_pairs, .use = nccl->queue_pair_use, .ways = nccl->queue_pair_ways};
  pairs.point_chunk = nccl->point_chunk_net.value;
  pairs.chunk = nccl->chunk_bytes(Protocol::simple);
  pairs.ring_chunk = pairs.chunk * ring_slice_steps;
  for (const auto& spec : model.specs)
    if (role_of(*spec) == DeviceRole::nic)
      pairs.nic_ports = std::max(pairs.nic_ports, fabric_ports_of(*spec));
  if (groups)
    pairs.group_kinds = std::max<std::uint32_t>(static_cast<std::uint32_t>(groups->kind_count()), 1);
  const char* name = "qps-per-connection";
  const std::size_t before = errors.size();
  if (book->has_nic_addresses())
    complain(name, "GPUs have several NICs each, over which their messages are spread already");
  if (has_device(model, DeviceRole::optical_switch))
    complain(name, "optical switches make circuits for pairs of GPUs, not for queue pairs");
  if (pairs.count > QueuePairs::most(pairs.group_kinds))
    complain(name, fmt::format("the job has {}, which leave numbers for {}",
                               counted(pairs.group_kinds, "kind of groups", "kinds of groups"),
                               counted(QueuePairs::most(pairs.group_kinds), "queue pair")));
  if (errors.size() > before) return {};
  ModelPart part;
  if (pairs.ways == QueuePairWays::disjoint && !hashes_ways(model, pairs.nic_ports))
    part.remarks.push_back({"collectives",
                            "qp-paths=\"disjoint\" changes nothing: no switch hashes flows "
                            "(routing=\"ecmp\"), and NICs have one port"});
  part.resources.add(std::make_shared<const QueuePairs>(pairs));
  return part;
}

}  // namespace lightrail

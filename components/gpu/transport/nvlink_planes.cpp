#include "components/gpu/transport/nvlink_planes.hpp"

#include <algorithm>

#include "components/gpu/transport/gpu_ports.hpp"
#include "engine/base/hash.hpp"
#include "network/port/device_traits.hpp"
#include "network/wire/message_kind.hpp"

namespace lightrail {
namespace {

/// The same for all messages that belong together: sums of one head, folded rings of one connection.
std::uint64_t hash_of(const Outgoing& message) {
  if (message.kind == MessageKind::fold) return mix64(message.connection.value + 1);
  if (message.kind == MessageKind::reduce) return hash_combine(0, flow_of(message.to, message.connection));
  const std::uint64_t flow = hash_combine(0, flow_of(message.from, message.connection));
  return message.kind == MessageKind::multicast ? flow : hash_combine(flow, message.to.value);
}

}  // namespace

NvlinkPlanes::NvlinkPlanes(const BuildContext& build) {
  std::uint64_t rates = 0;
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    const LinkId out = build.model.ports[build.record.first_port + i].out;
    const bool is_first = i == GpuPort::nvlink && out.is_valid();
    if (!is_first && !(i >= GpuPort::second_nic && leads_to(build.model, out, DeviceRole::nvswitch)))
      continue;
    rates += static_cast<std::uint64_t>(
        build.model.link_classes[build.model.links[out.value].link_class].rate.value);
    planes_.push_back({static_cast<PortIndex>(i), rates});
  }
}

bool NvlinkPlanes::has(PortIndex port) const {
  return std::any_of(planes_.begin(), planes_.end(), [&](const Plane& plane) { return plane.port == port; });
}

PortIndex NvlinkPlanes::port_of(const Outgoing& message) const {
  if (planes_.size() < 2) return GpuPort::nvlink;
  const std::uint64_t at = hash_of(message) % planes_.back().rates;
  return std::find_if(planes_.begin(), planes_.end(), [&](const Plane& plane) { return at < plane.rates; })
      ->port;
}

}  // namespace lightrail

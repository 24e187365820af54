#include "components/gpu/transport/nvlink_planes.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

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

NvlinkPlanes::NvlinkPlanes(const BuildContext& build)
    : book_(build.model.resource<AddressBook>()), self_{build.record.number} {
  const Model& model = build.model;
  std::uint64_t rates = 0;
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    const LinkId out = model.ports[build.record.first_port + i].out;
    const bool is_first = i == GpuPort::nvlink && out.is_valid();
    if (!is_first && !(i >= GpuPort::second_nic && leads_to(model, out, DeviceRole::nvswitch))) continue;
    rates += static_cast<std::uint64_t>(model.link_classes[model.links[out.value].link_class].rate.value);
    planes_.push_back({static_cast<PortIndex>(i), rates, {}});
  }
  const auto* health = model.resource<HealthTable>();
  if (planes_.size() < 2 || !health || !health->has_outages()) return;
  // Chip k of a server of n GPUs has ports k n to k n + n - 1.
  const LinkId out = model.ports[build.record.first_port + planes_.front().port].out;
  const ComponentRecord& nvswitch = model.components[model.links[out.value].to.value];
  const std::size_t gpus = nvswitch.port_count / planes_.size();
  for (std::size_t k = 0; k < planes_.size(); ++k)
    for (std::size_t i = 0; i < gpus; ++i) {
      planes_[k].to_gpu.push_back(model.ports[nvswitch.first_port + k * gpus + i].out);
      if (health->has_outages(planes_[k].to_gpu.back())) health_ = health;
    }
}

bool NvlinkPlanes::has(PortIndex port) const {
  return std::any_of(planes_.begin(), planes_.end(), [&](const Plane& plane) { return plane.port == port; });
}

const NvlinkPlanes::Plane& NvlinkPlanes::plane_at(std::uint64_t rate) const {
  return *std::find_if(planes_.begin(), planes_.end(),
                       [&](const Plane& plane) { return rate < plane.rates; });
}

PortIndex NvlinkPlanes::port_of(const Outgoing& message, SimTime now) const {
  if (planes_.size() < 2) return GpuPort::nvlink;
  const std::uint64_t hash = hash_of(message);
  const Plane& own = plane_at(hash % planes_.back().rates);
  if (!health_ || is_open(own, message, now)) return own.port;
  std::vector<std::pair<PortIndex, std::uint64_t>> open;  // with the rates of it and those before it
  for (std::size_t k = 0; k < planes_.size(); ++k)
    if (is_open(planes_[k], message, now)) {
      const std::uint64_t rate = planes_[k].rates - (k > 0 ? planes_[k - 1].rates : 0);
      open.emplace_back(planes_[k].port, rate + (open.empty() ? 0 : open.back().second));
    }
  if (open.empty()) return own.port;
  const std::uint64_t at = mix64(hash) % open.back().second;
  return std::find_if(open.begin(), open.end(), [&](const auto& plane) { return at < plane.second; })->first;
}

/// Whether senders take the links that the message needs for up.
bool NvlinkPlanes::is_open(const Plane& plane, const Outgoing& message, SimTime now) const {
  const auto is_up = [&](LinkId link) { return health_->is_up(link, now, Observer::sender); };
  const bool is_plain = message.kind == MessageKind::train || message.kind == MessageKind::control;
  if (is_plain && message.to.value < book_->gpu_count &&
      (*book_)[message.to].server == (*book_)[self_].server)
    return is_up(plane.to_gpu[(*book_)[message.to].local]) && is_up(plane.to_gpu[(*book_)[self_].local]);
  return std::all_of(plane.to_gpu.begin(), plane.to_gpu.end(), is_up);
}

SimTime NvlinkPlanes::next_change(SimTime now) const {
  SimTime next = time_never;
  if (!health_) return next;
  for (const Plane& plane : planes_)
    for (const LinkId link : plane.to_gpu)
      next = std::min(next, health_->next_change(link, now, Observer::sender));
  return next;
}

}  // namespace lightrail

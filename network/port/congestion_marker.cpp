#include "network/port/congestion_marker.hpp"

#include <algorithm>

#include "network/port/device_traits.hpp"
#include "network/wire/marked_train.hpp"

namespace lightrail {
namespace {

bool leads_to_nic(const BuildContext& build, const PortEnd& end) {
  return end.is_connected && leads_to(build.model, end.out, DeviceRole::nic);
}

}  // namespace

CongestionMarker::CongestionMarker(const BuildContext& build, const CongestionControl& control, Bytes buffer,
                                   std::uint64_t salt)
    : control_(&control), draw_(salt) {
  const CongestionSpec& spec = control.spec();
  for (const PortEnd& end : port_ends(build)) {
    Port port;
    port.threshold = spec.marked_above(buffer).value + end.train_bytes() - end.mtu_bytes;
    port.mtu_bytes = std::max<std::uint32_t>(end.mtu_bytes, 1);
    port.is_victim =
        spec.victims == VictimMask::all || (spec.victims == VictimMask::hosts && leads_to_nic(build, end));
    ports_.push_back(port);
  }
}

/// Of the packets that `bytes` take those that are not too small to be marked.
std::uint32_t CongestionMarker::large_packets(std::uint32_t bytes, std::uint32_t mtu_bytes) const {
  const std::int64_t least = std::max<std::int64_t>(control_->spec().packet_size.value, 1);
  const std::uint32_t full = mtu_bytes >= least ? bytes / mtu_bytes : 0;
  return full + (bytes % mtu_bytes >= least ? 1 : 0);
}

Frame CongestionMarker::marked(const Frame& train, PortIndex out, const EgressBank& egress,
                               const Context& context) {
  if (train.kind != MessageKind::train && train.kind != MessageKind::marked_train) return train;
  const Port& port = ports_[out];
  const EgressBank::Queue queue = egress.queue(out, train.lane, train.bytes, context);
  if (queue.bytes <= port.threshold || !(queue.has_credits || port.is_victim)) return train;
  const std::uint32_t before = marks_of(train), large = large_packets(train.bytes, port.mtu_bytes);
  std::uint32_t marks = before;
  for (std::uint32_t i = before; i < large; ++i)
    marks += spread(draw_.next(), control_->spec().marking_rate + 1) == 0 ? 1 : 0;
  return marks == before ? train : frame_of(MarkedTrain::of(train, marks));
}

}  // namespace lightrail

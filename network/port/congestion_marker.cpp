#include "network/port/congestion_marker.hpp"

#include "network/port/device_traits.hpp"
#include "network/wire/train.hpp"

namespace lightrail {
namespace {

bool leads_to_nic(const BuildContext& build, const PortEnd& end) {
  return end.is_connected && leads_to(build.model, end.out, DeviceRole::nic);
}

}  // namespace

CongestionMarker::CongestionMarker(const BuildContext& build, const CongestionControl& control, Bytes buffer)
    : control_(&control), passed_over_(build.record.port_count) {
  const CongestionSpec& spec = control.spec();
  for (const PortEnd& end : port_ends(build)) {
    Port port;
    port.threshold =
        buffer.value * (16 - std::int64_t{spec.threshold}) / 16 + end.train_bytes() - end.mtu_bytes;
    port.is_victim =
        spec.victims == VictimMask::all || (spec.victims == VictimMask::hosts && leads_to_nic(build, end));
    ports_.push_back(port);
  }
}

Frame CongestionMarker::marked(const Frame& train, PortIndex out, const EgressBank& egress,
                               const Context& context) {
  if (train.kind != MessageKind::train || train.bytes < control_->spec().packet_size.value) return train;
  const Port& port = ports_[out];
  const EgressBank::Queue queue = egress.queue(out, train.lane, train.bytes, context);
  if (queue.bytes <= port.threshold || !(queue.has_credits || port.is_victim)) return train;
  const std::uint32_t interval = control_->spec().marking_rate + 1;
  passed_over_[out] += as<Train>(train).packets;
  if (passed_over_[out] < interval) return train;
  passed_over_[out] %= interval;
  Frame marked = train;
  marked.kind = MessageKind::marked_train;
  return marked;
}

}  // namespace lightrail

#include "components/gpu/transport/paths/direct_path.hpp"

namespace lightrail {

std::unique_ptr<Path> DirectPath::make(const BuildContext&, PathHost& host) {
  return host.is_connected(GpuPort::nic) ? std::make_unique<DirectPath>(host) : nullptr;
}

bool DirectPath::leads_to(SimTime, EndpointId, Cargo cargo) const {
  return cargo == Cargo::message_by_gpu || host_.has_nic();
}

void DirectPath::send(Context& context, const Transfer& transfer) {
  host_.post_transfer(context, transfer);
}

void DirectPath::send_control(Context& context, const Train& control) {
  context.send(GpuPort::nic, context.now(), to_payload(control));
}

bool DirectPath::pass_on(Context& context, const Train& train, PortIndex port, SimTime tail) {
  if (port != GpuPort::nvlink) return false;
  if (train.kind == MessageKind::control) {
    Train control = train;
    control.packets = 0, control.retries = 0;  // the NIC counts anew
    context.send(GpuPort::nic, tail, to_payload(control));
    return true;
  }
  host_.post(context, tail, as_part({.lane = train.lane, .bytes = train.bytes, .address = train.address}));
  return true;
}

}  // namespace lightrail

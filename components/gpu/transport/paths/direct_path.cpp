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

void DirectPath::send_control(Context& context, const Payload& control) {
  context.send(GpuPort::nic, context.now(), control);
}

bool DirectPath::pass_on(Context& context, const Payload& payload, PortIndex port, SimTime tail) {
  if (port != GpuPort::nvlink) return false;
  Payload work = payload;
  work.count = 0;
  if (kind_of(work) == WireKind::control) {
    context.send(GpuPort::nic, tail, work);
    return true;
  }
  work.kind = static_cast<std::uint8_t>(WireKind::message);
  host_.post(context, tail, work);
  return true;
}

}  // namespace lightrail

#include "components/gpu/transport/paths/pxn_path.hpp"

#include <cstdint>

#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

std::unique_ptr<Path> PxnPath::make(const BuildContext& build, PathHost& host) {
  if (!nccl_settings_of(build.model).pxn || !host.is_connected(GpuPort::nvlink)) return nullptr;
  return std::make_unique<PxnPath>(host);
}

PxnPath::PxnPath(PathHost& host) : host_(host), rails_(host.book(), host.self()), has_nic_(host.has_nic()) {}

bool PxnPath::leads_to(SimTime, EndpointId to, Cargo cargo) const {
  if (cargo == Cargo::message_by_gpu && host_.is_connected(GpuPort::nic)) return false;
  if (!has_nic_) return !rails_.is_empty();
  const std::uint16_t rail = host_.book()[to].nic;
  return host_.is_gpu(to) && rail != host_.here().nic && rails_.owner(rail) != RailOwners::none;
}

void PxnPath::send(Context& context, const Transfer& transfer) {
  const SendToken token = token_of(transfer);
  host_.inject(context, GpuPort::nvlink,
               {host_.self(), transfer.to, transfer.connection, transfer.wire_bytes, 0, MessageKind::train, 0,
                token.value()});
}

void PxnPath::send_control(Context& context, const Train& control) {
  host_.inject(context, GpuPort::nvlink,
               {control.address.from(), control.address.to(), control.address.connection(), control.bytes, 0,
                MessageKind::control, 0, SendToken::nobody().value()});
}

}  // namespace lightrail

#include "components/gpu/transport/paths/pxn_path.hpp"

#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

std::unique_ptr<Path> PxnPath::make(const BuildContext& build, PathHost& host) {
  if (!nccl_settings_of(build.model).pxn || !host.is_connected(GpuPort::nvlink)) return nullptr;
  return std::make_unique<PxnPath>(host);
}

PxnPath::PxnPath(PathHost& host) : host_(host), has_nic_(host.has_nic()) {
  // GPUs of a server are neighbours in the address book.
  const AddressBook& book = host.book();
  std::uint32_t first = host.self().value;
  while (first > 0 && host.is_near(EndpointId{first - 1})) --first;
  for (std::uint32_t gpu = first; gpu < book.gpu_count && host.is_near(EndpointId{gpu}); ++gpu) {
    const AddressBook::Entry& entry = book[EndpointId{gpu}];
    if (!entry.lid.is_valid()) continue;
    if (entry.nic >= has_rail_.size()) has_rail_.resize(entry.nic + 1u);
    has_local_nic_ = has_rail_[entry.nic] = true;
  }
}

bool PxnPath::leads_to(EndpointId to, Poster poster) const {
  if (poster == Poster::gpu && host_.is_connected(GpuPort::nic)) return false;
  if (!has_nic_) return has_local_nic_;
  const std::uint16_t rail = host_.book()[to].nic;
  return host_.is_gpu(to) && rail != host_.here().nic && rail < has_rail_.size() && has_rail_[rail];
}

void PxnPath::send(Context& context, const Transfer& transfer) {
  const std::uint64_t token = transfer.notify ? token_of(transfer.owner) : no_token;
  host_.inject(
      context, GpuPort::nvlink,
      {host_.self(), transfer.to, transfer.connection, transfer.wire_bytes, 0, WireKind::train, 0, token});
}

void PxnPath::send_control(Context& context, const Payload& control) {
  host_.inject(context, GpuPort::nvlink,
               {from_of(control), to_of(control), connection_of(control), control.bytes, 0, WireKind::control,
                0, no_token});
}

}  // namespace lightrail

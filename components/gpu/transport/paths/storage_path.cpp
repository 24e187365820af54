#include "components/gpu/transport/paths/storage_path.hpp"

#include <algorithm>

namespace lightrail {

std::unique_ptr<Path> StoragePath::make(const BuildContext&, PathHost& host) {
  const bool has_network = std::any_of(host_networks.begin(), host_networks.end(), [&](NicRole role) {
    const AddressBook* book = host.book().behind_host(role);
    return book && (*book)[host.self()].lid.is_valid();
  });
  return has_network ? std::make_unique<StoragePath>(host) : nullptr;
}

bool StoragePath::leads_to(SimTime, EndpointId to, Cargo) const {
  return !host_.is_gpu(to) && host_.book().behind_host(to) != nullptr;
}

void StoragePath::send(Context& context, const Transfer& transfer) {
  const SendToken token = token_of(transfer);
  host_.inject(context, GpuPort::host,
               {host_.self(), transfer.to, transfer.connection, transfer.wire_bytes, 0, MessageKind::train, 0,
                token.value()});
}

void StoragePath::send_control(Context& context, const Train& control) {
  host_.inject(context, GpuPort::host,
               {host_.self(), control.address.to(), control.address.connection(), control.bytes, 0,
                MessageKind::control, 0, SendToken::nobody().value()});
}

}  // namespace lightrail

#include "components/gpu/transport/paths/failover_path.hpp"

#include <cstdint>
#include <memory>

#include "components/gpu/transport/gpu_wakes.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

std::unique_ptr<Path> FailoverPath::make(const BuildContext& build, PathHost& host) {
  const auto* health = build.model.resource<NicHealth>();
  if (!health || health->is_empty() || !host.is_connected(GpuPort::nvlink)) return nullptr;
  return std::make_unique<FailoverPath>(host, *health, nccl_settings_of(build.model).pxn);
}

FailoverPath::FailoverPath(PathHost& host, const NicHealth& health, bool is_pxn)
    : host_(host), health_(health), rails_(host.book(), host.self()), is_pxn_(is_pxn) {}

std::optional<EndpointId> FailoverPath::poster(EndpointId to, Cargo cargo) const {
  const std::uint16_t rail = host_.book()[to].nic;
  if (is_pxn_ && cargo != Cargo::message_by_gpu && host_.is_gpu(to) && rail != host_.here().nic)
    if (const std::uint16_t local = rails_.owner(rail); local != RailOwners::none)
      return EndpointId{host_.self().value - host_.here().local + local};
  return host_.has_nic() ? std::optional(host_.self()) : std::nullopt;
}

bool FailoverPath::leads_to(SimTime now, EndpointId to, Cargo cargo) const {
  const auto gpu = poster(to, cargo);
  return gpu && health_.stand_in(*gpu, now, Observer::sender) != *gpu;
}

void FailoverPath::send(Context& context, const Transfer& transfer) {
  const auto gpu = poster(transfer.to, transfer.is_by_gpu ? Cargo::message_by_gpu : Cargo::message);
  const EndpointId neighbour = health_.stand_in(*gpu, context.now(), Observer::sender);
  if (neighbour == host_.self()) return host_.post_transfer(context, transfer);
  hand_to(context, neighbour, Address(host_.self(), transfer.to, transfer.connection), transfer.wire_bytes,
          MessageKind::train, token_of(transfer));
}

void FailoverPath::send_control(Context& context, const Train& control) {
  const auto gpu = poster(control.address.to(), Cargo::control);
  const EndpointId neighbour = health_.stand_in(*gpu, context.now(), Observer::sender);
  if (neighbour == host_.self()) return context.send(GpuPort::nic, context.now(), to_payload(control));
  hand_to(context, neighbour, control.address, control.bytes, MessageKind::control, SendToken::nobody());
}

void FailoverPath::hand_to(Context& context, EndpointId neighbour, const Address& address, std::int64_t bytes,
                           MessageKind kind, SendToken token) {
  host_.inject(context, GpuPort::nvlink,
               {address.from(), address.to(), address.connection(), bytes, 0, delegated_kind(kind), 0,
                token.value(), host_.book()[neighbour].local});
}

/// For a neighbour whose NIC is down: over NVLink when it is whole here.
bool FailoverPath::pass_on(Context& context, const Train& train, PortIndex port, SimTime tail) {
  const EndpointId to = train.address.to();
  if (port != GpuPort::nic || !host_.is_near(to) || !host_.is_gpu(to)) return false;
  context.wake(tail, to_payload(forward_wake(train)));
  return true;
}

bool FailoverPath::on_wake(Context& context, const Payload& payload) {
  if (!ForwardWake::carries(gpu_wake_of(payload))) return false;
  const auto train = as<ForwardWake>(payload);
  host_.inject(
      context, GpuPort::nvlink,
      {train.address.from(), train.address.to(), train.address.connection(), train.bytes, 0,
       train.is_train() ? MessageKind::train : MessageKind::control, 0, SendToken::nobody().value()});
  return true;
}

bool FailoverPath::on_returned(Context& context, const ReturnedWork& work) {
  const SendToken token = work.notify ? host_.take_notice(work.address) : SendToken::nobody();
  const EndpointId neighbour = health_.stand_in(host_.self(), context.now(), Observer::sender);
  if (neighbour != host_.self()) {
    hand_to(context, neighbour, work.address, work.bytes,
            work.is_control ? MessageKind::control : MessageKind::train, token);
    return true;
  }
  // The cable has come back meanwhile.
  if (work.is_control) {
    const Train again{.kind = MessageKind::control, .bytes = work.bytes, .address = work.address};
    context.send(GpuPort::nic, context.now(), to_payload(again));
    return true;
  }
  if (work.notify) host_.await_notice(work.address, token);
  const WorkRequest again{.notify = work.notify, .bytes = work.bytes, .address = work.address};
  context.send(GpuPort::nic, context.now(), to_payload(again));
  return true;
}

}  // namespace lightrail

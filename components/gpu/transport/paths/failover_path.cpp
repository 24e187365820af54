#include "components/gpu/transport/paths/failover_path.hpp"

#include "network/transport/nic_returns.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

std::unique_ptr<Path> FailoverPath::make(const BuildContext& build, PathHost& host) {
  const auto* health = build.model.resource<NicHealth>();
  if (!health || health->is_empty() || build.model.resource<NicReturns>() ||
      host.book().has_nic_addresses() || !host.is_connected(GpuPort::nvlink))
    return nullptr;
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
  hand_to(context, neighbour, host_.self(), transfer.to, transfer.connection, transfer.wire_bytes,
          MessageKind::train, transfer.notify ? SendToken::of(transfer.owner) : SendToken::nobody());
}

void FailoverPath::send_control(Context& context, const Payload& control) {
  const auto gpu = poster(to_of(control), Cargo::control);
  const EndpointId neighbour = health_.stand_in(*gpu, context.now(), Observer::sender);
  if (neighbour == host_.self()) return context.send(GpuPort::nic, context.now(), control);
  hand_to(context, neighbour, from_of(control), to_of(control), connection_of(control), control.bytes,
          MessageKind::control, SendToken::nobody());
}

void FailoverPath::hand_to(Context& context, EndpointId neighbour, EndpointId from, EndpointId to,
                           Connection connection, std::int64_t bytes, MessageKind kind, SendToken token) {
  host_.inject(context, GpuPort::nvlink,
               {from, to, connection, bytes, 0, kind, 0, token.value(),
                static_cast<std::uint16_t>(delegate_mark | host_.book()[neighbour].local)});
}

/// For a neighbour whose NIC is down: over NVLink when it is whole here.
bool FailoverPath::pass_on(Context& context, const Payload& payload, PortIndex port, SimTime tail) {
  if (port != GpuPort::nic || !host_.is_near(to_of(payload)) || !host_.is_gpu(to_of(payload))) return false;
  Payload later = payload;
  later.kind = static_cast<std::uint8_t>(kind_of(payload) == MessageKind::train ? GpuWake::forward_train
                                                                                : GpuWake::forward_control);
  context.wake(tail, later);
  return true;
}

bool FailoverPath::on_wake(Context& context, const Payload& payload) {
  const auto wake = static_cast<GpuWake>(payload.kind);
  if (wake != GpuWake::forward_train && wake != GpuWake::forward_control) return false;
  host_.inject(context, GpuPort::nvlink,
               {from_of(payload), to_of(payload), connection_of(payload), payload.bytes, 0,
                wake == GpuWake::forward_train ? MessageKind::train : MessageKind::control, 0,
                SendToken::nobody().value()});
  return true;
}

bool FailoverPath::on_returned(Context& context, const ReturnedWork& work) {
  const EndpointId from = work.address.from(), to = work.address.to();
  const Connection connection = work.address.connection();
  const SendToken token = work.notify ? host_.take_notice(from, to, connection) : SendToken::nobody();
  const EndpointId neighbour = health_.stand_in(host_.self(), context.now(), Observer::sender);
  if (neighbour != host_.self()) {
    hand_to(context, neighbour, from, to, connection, work.bytes,
            work.is_control ? MessageKind::control : MessageKind::train, token);
    return true;
  }
  // The cable has come back meanwhile.
  Payload again = make_wire(work.is_control ? MessageKind::control : MessageKind::work_request, from, to,
                            connection, work.bytes, work.is_control ? 1 : 0);
  if (work.notify) {
    host_.await_notice(again, token);
    again.count = notify_sent;
  }
  context.send(GpuPort::nic, context.now(), again);
  return true;
}

}  // namespace lightrail

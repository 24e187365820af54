#include "components/gpu/transport/paths/photonic_rail_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "components/gpu/transport/gpu_wakes.hpp"
#include "network/wire/rail_control.hpp"

namespace lightrail {

std::unique_ptr<Path> PhotonicRailPath::make(const BuildContext& build, PathHost& host) {
  const auto* rails = build.model.resource<Rails>();
  return rails ? std::make_unique<PhotonicRailPath>(*rails, host) : nullptr;
}

bool PhotonicRailPath::leads_to(SimTime, EndpointId, Cargo cargo) const {
  return host_.has_nic() || (cargo == Cargo::message_by_gpu && host_.is_connected(GpuPort::nic));
}

void PhotonicRailPath::send(Context& context, const Transfer& transfer) {
  LIGHTRAIL_EXPECT(!transfer.is_part);
  for (std::int64_t left = transfer.wire_bytes; left > 0;) {
    const std::int64_t piece = std::min(left, max_work_bytes);
    left -= piece;
    const WorkRequest message{.bytes = static_cast<std::uint32_t>(piece),
                              .address = Address(host_.self(), transfer.to, transfer.connection)};
    const bool notify = transfer.notify && left == 0;
    admit(context, message, transfer.is_by_gpu, true,
          notify ? SendToken::of(transfer.owner) : SendToken::nobody());
  }
}

void PhotonicRailPath::send_control(Context& context, const Train& control) {
  context.send(GpuPort::control, context.now(), to_payload(control));
}

/// The NIC gets work for other servers only while its circuit leads there.
void PhotonicRailPath::admit(Context& context, const WorkRequest& message, bool is_by_gpu, bool is_own,
                             SendToken token) {
  const AddressBook::Entry& there = host_.book()[message.address.to()];
  if (there.nic != host_.here().nic)
    host_.fail(context, fmt::format("{} is on rail {}, this GPU on rail {}: only PXN joins photonic rails",
                                    host_.name_of(message.address.to()), there.nic, host_.here().nic));
  const Work work{message, token.value(), is_own, is_by_gpu, there.server};
  if (client_.admit(work)) return post(context, work);
  client_.settle(context);
}

/// Everything on a circuit is told of when it has left, so that a change can wait for it.
void PhotonicRailPath::post(Context& context, const Work& work) {
  WorkRequest message = work.message;
  message.notify = 1;
  if (work.is_own) host_.await_notice(message.address, SendToken::from(work.token));
  if (work.is_by_gpu)
    context.send(GpuPort::nic, context.now(), to_payload(message));
  else
    host_.post(context, context.now(), message);
}

bool PhotonicRailPath::on_notice(Context& context, const SentNotice& notice) {
  client_.gone(context);
  return notice.address.from() != host_.self() || notice.is_resent;
}

bool PhotonicRailPath::pass_on(Context& context, const Train& train, PortIndex port, SimTime tail) {
  if (port != GpuPort::nic && (port != GpuPort::nvlink || !host_.is_connected(GpuPort::nic))) return false;
  context.wake(tail, to_payload(forward_wake(train)));
  return true;
}

bool PhotonicRailPath::on_returned_train(Context& context, const ReturnedTrain& train, SimTime tail) {
  if (train.is_given_up)
    host_.fail(context, fmt::format("gave up sending to {}: no light on the circuit that leads there",
                                    host_.name_of(train.address.to())));
  ForwardWake later = forward_wake(plain_train(train));
  later.retries = train.retries, later.is_resent = 1;
  context.wake(tail, to_payload(later));
  return true;
}

bool PhotonicRailPath::on_wake(Context& context, const Payload& payload) {
  switch (gpu_wake_of(payload)) {
    case GpuWake::forward_control: {
      const auto later = as<ForwardWake>(payload);
      send_control(context, Train{.kind = MessageKind::control,
                                  .lane = later.lane,
                                  .packets = 0,
                                  .retries = later.retries,
                                  .bytes = later.bytes,
                                  .address = later.address});
      return true;
    }
    case GpuWake::forward_train: {
      const auto later = as<ForwardWake>(payload);
      // What is sent again is the NIC's work: no proxy thread, and nobody waits for its completion.
      admit(context,
            as_part({.lane = later.lane,
                     .is_resent = later.is_resent,
                     .retries = later.retries,
                     .bytes = later.bytes,
                     .address = later.address}),
            later.is_resent, false, SendToken::nobody());
      return true;
    }
    case GpuWake::rail:
      client_.on_timer(context);
      return true;
    case GpuWake::received:
    case GpuWake::timer:
    case GpuWake::watchdog:
    case GpuWake::back:
    case GpuWake::op_end:
    case GpuWake::proxy:
    case GpuWake::launched:
    case GpuWake::pace:
      return false;
  }
  return false;
}

bool PhotonicRailPath::on_control(Context& context, const Payload& payload) {
  const MessageKind kind = kind_of(payload);
  if (kind == MessageKind::control) {
    on_control_message(context, as<Train>(payload));
  } else if (kind == MessageKind::circuit_granted) {
    const std::uint32_t server = as<rail_control::Granted>(payload).server;
    for (const Work& work : client_.on_granted(context, server)) post(context, work);
  } else if (kind == MessageKind::circuit_reclaim) {
    client_.on_reclaim(context);
  } else {
    return false;
  }
  return true;
}

/// Of a collective, by the network of the servers: for this GPU, or for one of its server on another rail.
void PhotonicRailPath::on_control_message(Context& context, const Train& control) {
  const Address& address = control.address;
  if (address.to() == host_.self()) return host_.arrive(context, control, context.now());
  host_.inject(context, GpuPort::nvlink,
               {address.from(), address.to(), address.connection(), control.bytes, 0, MessageKind::control, 0,
                SendToken::nobody().value()});
}

std::vector<std::string> PhotonicRailPath::waits_for() const {
  std::string wait = client_.waits_for();
  return wait.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::move(wait)};
}

}  // namespace lightrail

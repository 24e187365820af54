#include "components/gpu/transport/paths/photonic_rail_path.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  for (std::int64_t left = transfer.wire_bytes; left > 0;) {
    const std::int64_t piece = std::min(left, max_piece);
    left -= piece;
    const Payload message = make_wire(WireKind::message, host_.self(), transfer.to, transfer.connection,
                                      static_cast<std::uint32_t>(piece), 0);
    const bool notify = transfer.notify && left == 0;
    admit(context, message, transfer.is_by_gpu, true,
          notify ? SendToken::of(transfer.owner) : SendToken::nobody());
  }
}

void PhotonicRailPath::send_control(Context& context, const Payload& control) {
  context.send(GpuPort::control, context.now(), control);
}

/// The NIC gets work for other servers only while its circuit leads there.
void PhotonicRailPath::admit(Context& context, const Payload& message, bool is_by_gpu, bool is_own,
                             SendToken token) {
  const AddressBook::Entry& there = host_.book()[to_of(message)];
  if (there.nic != host_.here().nic)
    host_.fail(context, fmt::format("{} is on rail {}, this GPU on rail {}: only PXN joins photonic rails",
                                    host_.name_of(to_of(message)), there.nic, host_.here().nic));
  const Work work{message, token.value(), is_own, is_by_gpu, there.server};
  if (client_.admit(work)) return post(context, work);
  client_.settle(context);
}

/// Everything on a circuit is told of when it has left, so that a change can wait for it.
void PhotonicRailPath::post(Context& context, const Work& work) {
  Payload message = work.message;
  if (work.is_own) host_.await_notice(message, SendToken::from(work.token));
  message.count = static_cast<std::uint16_t>(message.count | notify_sent);
  if (work.is_by_gpu)
    context.send(GpuPort::nic, context.now(), message);
  else
    host_.post(context, context.now(), message);
}

bool PhotonicRailPath::on_notice(Context& context, const Payload& notice) {
  client_.gone(context);
  return from_of(notice) != host_.self() || (notice.count & sent_again) != 0;
}

bool PhotonicRailPath::pass_on(Context& context, const Payload& payload, PortIndex port, SimTime tail) {
  if (port != GpuPort::nic && (port != GpuPort::nvlink || !host_.is_connected(GpuPort::nic))) return false;
  const bool is_back = port == GpuPort::nic && host_.is_near(from_of(payload));
  const bool is_retry = is_back && payload.count > 0;
  if (is_back && !is_retry)
    host_.fail(context, fmt::format("gave up sending to {}: no light on the circuit that leads there",
                                    host_.name_of(to_of(payload))));
  Payload later = payload;
  later.kind = static_cast<std::uint8_t>(kind_of(payload) == WireKind::train ? GpuWake::forward_train
                                                                             : GpuWake::forward_control);
  later.count = static_cast<std::uint16_t>(is_retry ? retries_of(payload) << retry_shift | sent_again : 0u);
  context.wake(tail, later);
  return true;
}

bool PhotonicRailPath::on_wake(Context& context, const Payload& payload) {
  Payload work = payload;
  switch (static_cast<GpuWake>(payload.kind)) {
    case GpuWake::forward_control:
      work.kind = static_cast<std::uint8_t>(WireKind::control);
      send_control(context, work);
      return true;
    case GpuWake::forward_train:
      work.kind = static_cast<std::uint8_t>(WireKind::message);
      // What is sent again is the NIC's work: no proxy thread, and nobody waits for its completion.
      admit(context, work, (work.count & sent_again) != 0, false, SendToken::nobody());
      return true;
    case GpuWake::rail:
      client_.on_timer(context);
      return true;
    case GpuWake::received:
    case GpuWake::timer:
    case GpuWake::op_end:
    case GpuWake::proxy:
      return false;
  }
  return false;
}

bool PhotonicRailPath::on_control(Context& context, const Payload& payload) {
  if (kind_of(payload) == WireKind::control) {
    if (to_of(payload) == host_.self()) {
      host_.arrive(context, payload, context.now());
      return true;
    }
    host_.inject(context, GpuPort::nvlink,
                 {from_of(payload), to_of(payload), connection_of(payload), payload.bytes, 0,
                  WireKind::control, 0, SendToken::nobody().value()});
    return true;
  }
  switch (rail_control_of(payload)) {
    case RailControl::granted:
      for (const Work& work : client_.on_granted(context, payload.a)) post(context, work);
      return true;
    case RailControl::reclaim:
      client_.on_reclaim(context);
      return true;
    case RailControl::request:
    case RailControl::released:
      return false;
  }
  return false;
}

std::vector<std::string> PhotonicRailPath::waits_for() const {
  std::string wait = client_.waits_for();
  return wait.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::move(wait)};
}

}  // namespace lightrail

#include <fmt/format.h>

#include <algorithm>

#include "components/gpu/transport/gpu_transport.hpp"
#include "components/gpu/transport/transport_payloads.hpp"
#include "network/wire/region_control.hpp"

namespace lightrail {
namespace {

/// A message is spread over several NICs in parts of at least this [B].
constexpr std::int64_t min_part = 64 * 1024;

}  // namespace

bool GpuTransport::wants_demand(std::uint16_t dimension) const {
  return delegation_ && delegation_->is_announced(dimension);
}

void GpuTransport::announce_ahead(Context& context, std::span<const PeerBytes> demand, bool is_known) {
  if (!delegation_->is_early() || !(is_known || delegation_->prediction() != Prediction::off)) return;
  announce(context, demand, !is_known);
}

bool GpuTransport::predicts_from_history() const {
  return delegation_ &&
         (delegation_->prediction() == Prediction::past || delegation_->prediction() == Prediction::learned);
}

void GpuTransport::announce_absence(Context& context) {
  if (delegation_ && delegation_->is_controlled())
    context.send(control_port, context.now(), control_payload(ControlKind::absent));
}

bool GpuTransport::start_exchange(Context& context, std::span<const PeerBytes> demand, Owner owner) {
  if (!delegation_->is_announced_ahead()) announce(context, demand, false);
  const bool starts = delegation_->start(owner);
  tell_begun(context);
  return starts;
}

void GpuTransport::tell_begun(Context& context) {
  if (delegation_->take_begin_request())
    context.send(control_port, context.now(), control_payload(ControlKind::begun));
}

void GpuTransport::announce(Context& context, std::span<const PeerBytes> demand, bool is_predicted) {
  const std::uint32_t call = delegation_->next_call();
  const std::vector<std::int64_t> bytes = delegation_->by_member(demand, is_predicted);
  for (std::uint32_t member = 0; member < bytes.size(); ++member)
    if (bytes[member] > 0)
      context.send(control_port, context.now(),
                   control_payload(ControlKind::demand, member, call,
                                   static_cast<std::uint32_t>((bytes[member] + 1023) / 1024)));
  context.send(control_port, context.now(), control_payload(ControlKind::demand_end, 0, call));
}

/// A new message: what packet NICs take beside the circuits of its exchange leaves at once, paused or not.
void GpuTransport::send_by_delegates(Context& context, const Transfer& transfer) {
  if (!delegation_->takes_circuits(transfer.dimension, transfer.to))
    return send_parts(context, transfer, transfer.wire_bytes, true, Over::packets);
  const std::int64_t beside = beside_circuits(transfer);
  if (beside > 0) send_parts(context, transfer, beside, beside == transfer.wire_bytes, Over::packets);
  if (beside < transfer.wire_bytes) send_on_circuits(context, {transfer, transfer.wire_bytes - beside});
}

std::int64_t GpuTransport::beside_circuits(const Transfer& transfer) const {
  return transfer.is_exchange ? delegation_->beside(transfer.to, transfer.wire_bytes) : 0;
}

/// What is left of a message, but for what waits for a later phase of its exchange.
void GpuTransport::send_on_circuits(Context& context, const Held& message) {
  const Transfer& transfer = message.transfer;
  if (delegation_->is_paused()) return held_transfers_.push_back(message);
  const std::int64_t beside = beside_circuits(transfer);
  const std::int64_t later =
      transfer.is_exchange
          ? std::min(message.left, delegation_->later(transfer.to, transfer.wire_bytes - beside))
          : 0;
  if (message.left > later)
    send_parts(context, transfer, message.left - later, later == 0, beside > 0 ? Over::circuits : Over::all);
  if (later > 0) held_transfers_.push_back({transfer, later});
}

/// So many bytes of a message, over ways that there are now. `is_end`: the last ones.
void GpuTransport::send_parts(Context& context, const Transfer& transfer, std::int64_t bytes, bool is_end,
                              Over over) {
  Delegation::Ways ways = delegation_->ways(transfer.to, over != Over::packets, over == Over::circuits);
  if (ways.count == 0)
    fail(context, fmt::format("no circuit and no packet NIC leads to {}", name_of(transfer.to)));
  // GPUs of a server begin with different NICs; this one's own comes first, so that the part that is told of
  // is the last on NVLink.
  std::rotate(ways.nic.begin(), ways.nic.begin() + (book_[self_].local + transfer.to.value) % ways.count,
              ways.nic.begin() + ways.count);
  const auto parts =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes / min_part, 1, std::int64_t{ways.count}));
  std::stable_partition(ways.nic.begin(), ways.nic.begin() + parts,
                        [&](std::uint16_t nic) { return delegation_->owns(nic); });
  for (std::uint32_t i = 0; i < parts; ++i) {
    const std::int64_t low = bytes * i / parts, high = bytes * (i + 1) / parts;
    for (std::int64_t left = high - low; left > 0;) {
      const std::int64_t piece = std::min(left, max_piece);
      left -= piece;
      send_over(context, ways.nic[i],
                make_wire(WireKind::train, self_, transfer.to, transfer.connection,
                          static_cast<std::uint32_t>(piece), 0),
                transfer.notify && is_end && i + 1 == parts && left == 0, transfer.owner);
    }
  }
}

/// Own bytes, by the delegate that owns `nic`: this GPU or another one.
void GpuTransport::send_over(Context& context, std::uint16_t nic, const Payload& work, bool notify,
                             Owner owner) {
  if (!delegation_->owns(nic))
    return hand_over(context, work, delegation_->gpu_of(nic), false, notify ? token_of(owner) : no_token);
  Payload message = work;
  message.kind = static_cast<std::uint8_t>(WireKind::message);
  if (delegation_->is_optical(nic))
    return post_to_circuit(context, message, true, notify ? owner : Owner{no_owner, 0});
  if (notify) {
    notices_.push_back({flow_of(to_of(work), connection_of(work)), owner});
    message.count = notify_sent;
  }
  proxy_.post(context, context.now(), message);
}

/// To GPU `local` of this server: over NVLink, or past it where the scenario leaves that step out.
void GpuTransport::hand_over(Context& context, const Payload& work, std::uint16_t local, bool is_scatter,
                             std::uint64_t token) {
  if (is_scatter ? delegation_->scatters() : delegation_->gathers())
    return inject(context, nvlink_port,
                  {from_of(work), to_of(work), connection_of(work), work.bytes, 0, kind_of(work), 0, token,
                   static_cast<std::uint16_t>(is_scatter ? 0 : delegate_mark | local)});
  Payload past = work;
  past.lane = 0;
  past.count = static_cast<std::uint16_t>(delegate_mark | past_nvlink | local);
  context.send(nvlink_port, context.now(), past);
  on_sent(context, token, context.now());
}

/// Everything on a circuit is told of when it has left, so that a change can wait for it. What is sent again
/// carries how often.
void GpuTransport::post_to_circuit(Context& context, Payload work, bool is_own, Owner owner) {
  if (is_own) notices_.push_back({flow_of(to_of(work), connection_of(work)), owner});
  delegation_->posted();
  work.kind = static_cast<std::uint8_t>(WireKind::message);
  work.count = static_cast<std::uint16_t>(retries_of(work) << retry_shift | notify_sent);
  proxy_.post(context, context.now(), work);
}

void GpuTransport::on_circuit_sent(Context& context) {
  if (delegation_->gone())
    context.send(control_port, context.now(), control_payload(ControlKind::drained, 0, delegation_->epoch()));
}

/// A train or control message of this GPU or of others, whole here, goes on: over NVLink to its receiver or
/// to the delegate that has a way, or out of this GPU's NIC.
void GpuTransport::pass_on(Context& context, const Payload& payload) {
  const EndpointId to = to_of(payload), from = from_of(payload);
  const bool is_train = kind_of(payload) == WireKind::train;
  if (book_[to].server == book_[self_].server)
    return hand_over(context, payload, book_[to].local, true, no_token);
  const std::uint16_t own = delegation_->own_nic();
  const bool is_optical = delegation_->is_optical(own);
  // It came to this delegate because of its NIC, or back from it, unless the circuits have changed meanwhile.
  const bool was_sent_here = own != 0xffff;
  if (was_sent_here && is_train && is_optical && delegation_->is_paused()) return held_.push_back(payload);
  std::uint16_t nic = own;
  if (!was_sent_here || (is_optical && !delegation_->leads_to(own, to))) {
    const Delegation::Ways ways = delegation_->ways(to, is_train || delegation_->relays());
    if (ways.count == 0) fail(context, fmt::format("no circuit and no packet NIC leads to {}", name_of(to)));
    nic = ways.nic[(from.value + to.value) % ways.count];
  }
  if (!delegation_->owns(nic)) return hand_over(context, payload, delegation_->gpu_of(nic), false, no_token);
  if (!is_train) return context.send(nic_port, context.now(), payload);
  if (is_optical && delegation_->is_paused()) return held_.push_back(payload);
  if (is_optical) return post_to_circuit(context, payload, from == self_, {no_owner, 0});
  Payload message = payload;
  message.kind = static_cast<std::uint8_t>(WireKind::message);
  message.count = 0;
  proxy_.post(context, context.now(), message);
}

/// The NIC could not get rid of what a GPU of this server sends: worth another try only where circuits have
/// changed or change.
void GpuTransport::check_returned(Context& context, const Payload& payload) const {
  const EndpointId to = to_of(payload);
  const bool has_changed =
      delegation_ && (delegation_->is_paused() || !delegation_->leads_to(delegation_->own_nic(), to));
  if (!has_changed)
    fail(context,
         fmt::format("gave up sending to {}: no light on the circuit that leads there", name_of(to)));
}

void GpuTransport::on_control(Context& context, const Payload& payload) {
  switch (control_kind_of(payload)) {
    case ControlKind::pause:
      if (delegation_->on_pause(payload.b))
        context.send(control_port, context.now(), control_payload(ControlKind::drained, 0, payload.b));
      return;
    case ControlKind::circuit:
      return delegation_->on_circuit(payload.a, payload.b);
    case ControlKind::later:
      return delegation_->on_later(payload.a, payload.bytes);
    case ControlKind::beside:
      return delegation_->on_beside(payload.a, payload.bytes);
    case ControlKind::live: {
      const std::vector<Owner> owners = delegation_->on_live(payload.a, payload.bytes != 0);
      tell_begun(context);
      std::vector<Payload> held;
      held.swap(held_);
      for (const Payload& train : held) pass_on(context, train);
      std::vector<Held> messages;
      messages.swap(held_transfers_);
      for (const Held& message : messages) send_on_circuits(context, message);
      for (const Owner owner : owners) wake_after(context, SimTime{0}, owner);
      return;
    }
    default:
      fail(context,
           fmt::format("a control message of kind {} came in, which is none for a gpu", payload.kind));
  }
}

}  // namespace lightrail

#include "components/gpu/transport/paths/circuit_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "components/gpu/transport/gpu_wakes.hpp"
#include "network/wire/delegated_train.hpp"
#include "network/wire/region_control.hpp"

namespace lightrail {
namespace {

/// A message is spread over several NICs in parts of at least this [B].
constexpr std::int64_t min_part = 64 * 1024;

}  // namespace

std::unique_ptr<Path> CircuitPath::make(const BuildContext& build, PathHost& host) {
  const auto* regions = build.model.resource<Regions>();
  if (!regions || regions->place(host.here().server).region == Regions::none) return nullptr;
  return std::make_unique<CircuitPath>(build, *regions, host);
}

CircuitPath::CircuitPath(const BuildContext& build, const Regions& regions, PathHost& host)
    : host_(host), delegation_(build, regions, host.book(), host.self()) {}

bool CircuitPath::leads_to(SimTime, EndpointId to, Cargo) const {
  return host_.is_gpu(to);
}

void CircuitPath::fail_unreachable(const Context& context, EndpointId to) const {
  host_.fail(context, fmt::format("no circuit and no packet NIC leads to {}", host_.name_of(to)));
}

/// A new message: what packet NICs take beside the circuits of its exchange leaves at once, paused or not.
void CircuitPath::send(Context& context, const Transfer& transfer) {
  LIGHTRAIL_EXPECT(!transfer.is_part);
  if (!delegation_.takes_circuits(transfer.dimension, transfer.to))
    return send_parts(context, transfer, transfer.wire_bytes, true, Over::packets);
  const std::int64_t beside = beside_circuits(transfer);
  if (beside > 0) send_parts(context, transfer, beside, beside == transfer.wire_bytes, Over::packets);
  if (beside < transfer.wire_bytes) send_on_circuits(context, {transfer, transfer.wire_bytes - beside});
}

void CircuitPath::send_control(Context& context, const Train& control) {
  go_on(context, control);
}

std::int64_t CircuitPath::beside_circuits(const Transfer& transfer) const {
  return transfer.is_exchange ? delegation_.beside(transfer.to, transfer.wire_bytes) : 0;
}

/// What is left of a message, but for what waits for a later phase of its exchange.
void CircuitPath::send_on_circuits(Context& context, const Held& message) {
  const Transfer& transfer = message.transfer;
  if (delegation_.is_paused()) return held_transfers_.push_back(message);
  const std::int64_t beside = beside_circuits(transfer);
  const std::int64_t later =
      transfer.is_exchange
          ? std::min(message.left, delegation_.later(transfer.to, transfer.wire_bytes - beside))
          : 0;
  if (message.left > later)
    send_parts(context, transfer, message.left - later, later == 0, beside > 0 ? Over::circuits : Over::all);
  if (later > 0) held_transfers_.push_back({transfer, later});
}

/// So many bytes of a message, over ways that there are now. `is_end`: the last ones.
void CircuitPath::send_parts(Context& context, const Transfer& transfer, std::int64_t bytes, bool is_end,
                             Over over) {
  std::vector<std::uint16_t> ways =
      delegation_.ways(transfer.to, over != Over::packets, over == Over::circuits);
  if (ways.empty()) fail_unreachable(context, transfer.to);
  // GPUs of a server begin with different NICs; this one's own comes first, so that the part that is told of
  // is the last on NVLink.
  std::rotate(ways.begin(), ways.begin() + (host_.here().local + transfer.to.value) % ways.size(),
              ways.end());
  const auto parts = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(bytes / min_part, 1, static_cast<std::int64_t>(ways.size())));
  std::stable_partition(ways.begin(), ways.begin() + parts,
                        [&](std::uint16_t nic) { return delegation_.owns(nic); });
  for (std::uint32_t i = 0; i < parts; ++i) {
    const std::int64_t low = bytes * i / parts, high = bytes * (i + 1) / parts;
    for (std::int64_t left = high - low; left > 0;) {
      const std::int64_t piece = std::min(left, max_work_bytes);
      left -= piece;
      send_over(context, ways[i],
                Train{.bytes = static_cast<std::uint32_t>(piece),
                      .address = Address(host_.self(), transfer.to, transfer.connection)},
                transfer.notify && is_end && i + 1 == parts && left == 0, transfer.owner);
    }
  }
}

/// Own bytes, by the delegate that owns `nic`: this GPU or another one.
void CircuitPath::send_over(Context& context, std::uint16_t nic, const Train& train, bool notify,
                            Owner owner) {
  const SendToken token = notify ? SendToken::of(owner) : SendToken::nobody();
  if (!delegation_.owns(nic))
    return hand_over(context, train, delegation_.gpu_of(nic), Step::gather, Piece::message, token);
  if (delegation_.is_optical(nic)) return post_to_circuit(context, train, true, Piece::message, token);
  if (notify) host_.await_notice(train.address, token);
  host_.post(context, context.now(),
             WorkRequest{.notify = notify, .bytes = train.bytes, .address = train.address});
}

/// To GPU `local` of this server: over NVLink, or past it where the scenario leaves that step out.
void CircuitPath::hand_over(Context& context, const Train& train, std::uint16_t local, Step step, Piece piece,
                            SendToken token) {
  const bool is_scatter = step == Step::scatter;
  if (is_scatter ? delegation_.scatters() : delegation_.gathers()) {
    Outgoing message{train.address.from(),
                     train.address.to(),
                     train.address.connection(),
                     train.bytes,
                     0,
                     is_scatter ? train.kind : delegated_kind(train.kind),
                     0,
                     token.value(),
                     is_scatter ? std::uint16_t{0} : local};
    if (piece == Piece::train) message.longest = train.bytes;
    return host_.inject(context, GpuPort::nvlink, message);
  }
  const DelegatedTrain past{
      .kind = bypass_kind(train.kind), .via = local, .bytes = train.bytes, .address = train.address};
  context.send(GpuPort::nvlink, context.now(), to_payload(past));
  host_.tell_sent(token, context.now());
}

/// Everything on a circuit is told of when it has left, so that a change can wait for it. What is sent again
/// carries how often.
void CircuitPath::post_to_circuit(Context& context, const Train& train, bool is_own, Piece piece,
                                  SendToken token) {
  if (is_own) host_.await_notice(train.address, token);
  delegation_.posted();
  const WorkRequest work{.lane = train.lane,
                         .notify = 1,
                         .retries = train.retries,
                         .bytes = train.bytes,
                         .address = train.address};
  host_.post(context, context.now(), piece == Piece::train ? as_part(work) : work);
}

bool CircuitPath::on_notice(Context& context, const SentNotice& notice) {
  if (!delegation_.is_optical(delegation_.own_nic())) return false;
  if (delegation_.gone())
    context.send(GpuPort::control, context.now(),
                 to_payload(region_control::Drained{.epoch = delegation_.epoch()}));
  return notice.address.from() != host_.self();
}

bool CircuitPath::pass_on(Context& context, const Train& train, PortIndex, SimTime tail) {
  context.wake(tail, to_payload(forward_wake(train)));
  return true;
}

/// Lost or corrupt: for the circuit that leads to its receiver once more.
bool CircuitPath::on_returned_train(Context& context, const ReturnedTrain& train, SimTime tail) {
  if (train.is_given_up) check_given_up(context, train.address.to());
  ForwardWake later = forward_wake(plain_train(train));
  later.retries = train.retries;
  context.wake(tail, to_payload(later));
  return true;
}

bool CircuitPath::on_wake(Context& context, const Payload& payload) {
  if (!ForwardWake::carries(gpu_wake_of(payload))) return false;
  const auto later = as<ForwardWake>(payload);
  go_on(context, Train{.kind = later.is_train() ? MessageKind::train : MessageKind::control,
                       .lane = later.lane,
                       .packets = 0,
                       .retries = later.retries,
                       .bytes = later.bytes,
                       .address = later.address});
  return true;
}

/// A train or control message of this GPU or of others, whole here, goes on: over NVLink to its receiver or
/// to the delegate that has a way, or out of this GPU's NIC.
void CircuitPath::go_on(Context& context, const Train& train) {
  const EndpointId to = train.address.to(), from = train.address.from();
  const bool is_payload = train.kind == MessageKind::train;
  if (host_.is_near(to))
    return hand_over(context, train, host_.book()[to].local, Step::scatter, Piece::train,
                     SendToken::nobody());
  const std::uint16_t own = delegation_.own_nic();
  const bool is_optical = delegation_.is_optical(own);
  // It came to this delegate because of its NIC, or back from it, unless the circuits have changed meanwhile.
  const bool was_sent_here = own != 0xffff;
  if (was_sent_here && is_payload && is_optical && delegation_.is_paused()) return held_.push_back(train);
  std::uint16_t nic = own;
  if (!was_sent_here || (is_optical && !delegation_.leads_to(own, to))) {
    const std::vector<std::uint16_t> ways = delegation_.ways(to, is_payload || delegation_.relays());
    if (ways.empty()) fail_unreachable(context, to);
    nic = ways[(from.value + to.value) % ways.size()];
  }
  if (!delegation_.owns(nic))
    return hand_over(context, train, delegation_.gpu_of(nic), Step::gather, Piece::train,
                     SendToken::nobody());
  if (!is_payload) return context.send(GpuPort::nic, context.now(), to_payload(train));
  if (is_optical && delegation_.is_paused()) return held_.push_back(train);
  if (is_optical)
    return post_to_circuit(context, train, from == host_.self(), Piece::train, SendToken::nobody());
  host_.post(context, context.now(),
             as_part({.lane = train.lane, .bytes = train.bytes, .address = train.address}));
}

/// The NIC could not get rid of what a GPU of this server sends: worth another try only where circuits have
/// changed or change.
void CircuitPath::check_given_up(Context& context, EndpointId to) const {
  if (delegation_.is_paused() || !delegation_.leads_to(delegation_.own_nic(), to)) return;
  host_.fail(context, fmt::format("gave up sending to {}: no light on the circuit that leads there",
                                  host_.name_of(to)));
}

bool CircuitPath::on_control(Context& context, const Payload& payload) {
  const MessageKind kind = kind_of(payload);
  if (kind == MessageKind::pause) {
    const std::uint32_t epoch = as<region_control::Pause>(payload).epoch;
    if (delegation_.on_pause(epoch))
      context.send(GpuPort::control, context.now(), to_payload(region_control::Drained{.epoch = epoch}));
  } else if (kind == MessageKind::circuit) {
    const auto circuit = as<region_control::Circuit>(payload);
    delegation_.on_circuit(circuit.nic, circuit.member);
  } else if (kind == MessageKind::later) {
    delegation_.on_later(as<region_control::Share>(payload));
  } else if (kind == MessageKind::beside) {
    delegation_.on_beside(as<region_control::Share>(payload));
  } else if (kind == MessageKind::live) {
    on_live(context, as<region_control::Live>(payload));
  } else {
    return false;
  }
  return true;
}

void CircuitPath::on_live(Context& context, const region_control::Live& live) {
  const std::vector<Owner> owners = delegation_.on_live(live.calls, live.wants_begun != 0);
  tell_begun(context);
  std::vector<Train> held;
  held.swap(held_);
  for (const Train& train : held) go_on(context, train);
  std::vector<Held> messages;
  messages.swap(held_transfers_);
  for (const Held& message : messages) send_on_circuits(context, message);
  for (const Owner owner : owners)
    context.wake(context.now(), to_payload(OwnerWake{.kind = GpuWake::timer, .owner = owner}));
}

bool CircuitPath::wants_demand(std::uint16_t dimension) const {
  return delegation_.is_announced(dimension);
}

void CircuitPath::announce_ahead(Context& context, std::span<const PeerBytes> demand, bool is_known) {
  if (!delegation_.is_early() || !(is_known || delegation_.prediction() != Prediction::off)) return;
  announce(context, demand, !is_known);
}

bool CircuitPath::predicts_from_history() const {
  return delegation_.prediction() == Prediction::past || delegation_.prediction() == Prediction::learned;
}

void CircuitPath::announce_absence(Context& context) {
  if (delegation_.is_controlled())
    context.send(GpuPort::control, context.now(), to_payload(region_control::Absent{}));
}

bool CircuitPath::start_exchange(Context& context, std::span<const PeerBytes> demand, Owner owner) {
  if (!delegation_.is_announced_ahead()) announce(context, demand, false);
  const bool starts = delegation_.start(owner);
  tell_begun(context);
  return starts;
}

void CircuitPath::tell_begun(Context& context) {
  if (delegation_.take_begin_request())
    context.send(GpuPort::control, context.now(), to_payload(region_control::Begun{}));
}

void CircuitPath::announce(Context& context, std::span<const PeerBytes> demand, bool is_predicted) {
  const std::uint32_t call = delegation_.next_call();
  const std::vector<std::int64_t> bytes = delegation_.by_member(demand, is_predicted);
  for (std::uint32_t member = 0; member < bytes.size(); ++member) {
    if (bytes[member] <= 0) continue;
    LIGHTRAIL_EXPECT(bytes[member] <= region_control::Demand::max_bytes);
    const auto units = (bytes[member] + region_control::Demand::unit - 1) / region_control::Demand::unit;
    context.send(GpuPort::control, context.now(),
                 to_payload(region_control::Demand{
                     .units = static_cast<std::uint32_t>(units), .member = member, .call = call}));
  }
  context.send(GpuPort::control, context.now(), to_payload(region_control::DemandEnd{.call = call}));
}

void CircuitPath::save(StateWriter& out) const {
  delegation_.save(out);
  out.put(held_), out.put(held_transfers_.size());
  for (const auto& [t, left] : held_transfers_) {
    out.put(left), out.put(t.is_exchange), out.put(t.to), out.put(t.connection), out.put(t.payload_bytes),
        out.put(t.wire_bytes);
    out.put(t.dimension), out.put(t.notify), out.put(t.owner), out.put(t.is_by_gpu);
  }
}

void CircuitPath::load(StateReader& in) {
  delegation_.load(in);
  std::size_t held = 0;
  in.get(held_), in.get(held);
  held_transfers_.assign(held, {});
  for (auto& [t, left] : held_transfers_) {
    in.get(left), in.get(t.is_exchange), in.get(t.to), in.get(t.connection), in.get(t.payload_bytes),
        in.get(t.wire_bytes);
    in.get(t.dimension), in.get(t.notify), in.get(t.owner), in.get(t.is_by_gpu);
  }
}

}  // namespace lightrail

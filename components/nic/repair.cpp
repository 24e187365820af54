// What a NIC does for classes that are not lossless: numbers, acknowledgements, retransmissions.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "components/nic/nic.hpp"
#include "network/port/reports.hpp"
#include "network/transport/tables.hpp"
#include "network/wire/repair_timer.hpp"

namespace lightrail {
namespace {

PathFate fate_of(MessageKind answer) {
  if (answer == MessageKind::trim_notice) return PathFate::trimmed;
  return answer == MessageKind::marked_acknowledgement ? PathFate::marked : PathFate::clear;
}

}  // namespace

/// Numbered trains are given to their device once, and in order.
void Nic::receive_numbered(const NumberedTrain& train, bool is_marked, PortIndex in, Context& context) {
  RepairReceiver& receiver = repair_->receiver;
  if (train.kind == MessageKind::trimmed_train) return receive_trimmed(train, in, context);
  switch (receiver.place_of(train)) {
    case RepairReceiver::Place::next: {
      const Frame plain = frame_of(train.plain(mtu_bytes_));
      if (!receive(plain, frame_of(train), in, context)) return refuse(train, context);
      tell_of_early(receiver.take_next(train), plain, context);
      return acknowledge(receiver.acknowledgement(train, is_marked), context);
    }
    case RepairReceiver::Place::early: {
      if (receiver.takes_early()) {
        Frame placed = frame_of(train);
        placed.kind = MessageKind::placed_train;
        if (!receive(placed, frame_of(train), in, context)) return refuse(train, context);
        receiver.take_early(train);
      } else {
        receiver.discard(train);
      }
      if (const auto complaint = receiver.complaint(train, context.now(), is_marked))
        acknowledge(*complaint, context);
      return;
    }
    case RepairReceiver::Place::late:
      receiver.discard(train);
      return acknowledge(receiver.acknowledgement(train), context);
  }
}

/// A switch has cut off its payload: its sender is told, unless another sending of it has come. With
/// go-back-N it is missing as any other: what is sent again alone would be overtaken by all that follows.
void Nic::receive_trimmed(const NumberedTrain& header, PortIndex in, Context& context) {
  if (!crossbar_.take(context, frame_of(header), in, context.now())) return;
  RepairReceiver& receiver = repair_->receiver;
  if (receiver.place_of(header) == RepairReceiver::Place::late)
    return acknowledge(receiver.acknowledgement(header), context);
  if (receiver.takes_early()) return acknowledge(receiver.trim_notice(header), context);
  if (const auto complaint = receiver.complaint(header, context.now())) acknowledge(*complaint, context);
}

/// It found no room here.
void Nic::refuse(const NumberedTrain& train, Context& context) {
  if (repair_->receiver.tells_of_trimming()) acknowledge(repair_->receiver.trim_notice(train), context);
}

/// They have taken their time of the device's link before; now they count, with the one that was missing.
void Nic::tell_of_early(const std::vector<Frame>& early, const Frame& missing, Context& context) {
  if (early.empty()) return;
  const PortIndex out = port_or_first(missing.address.to());
  const EgressBank& egress = crossbar_.egress();
  const SimTime start = std::max(context.now(), egress.free_at(out) - egress.line_time(out, missing.bytes));
  for (const Frame& frame : early)
    context.send(out, start, to_payload(as<NumberedTrain>(frame).plain(mtu_bytes_)));
}

void Nic::acknowledge(const Acknowledgement& message, Context& context) {
  answer(frame_of(message), context);
}

void Nic::on_acknowledgement(const Acknowledgement& message, PortIndex in, Context& context) {
  if (!has_room_for(frame_of(message), in, context)) return;
  const auto* answer = repair_->sender.on_acknowledgement(message, context.now());
  if (!answer)
    fail(context,
         fmt::format("an acknowledgement for endpoint {} ({}) came in, which sends by another NIC: class {} "
                     "is {}, and its losses are repaired with <nccl pxn=\"off\"/> alone",
                     message.address.to().value, endpoint_name(model_, message.address.to()), message.lane,
                     why_repaired()));
  if (pacing_) tell_pacing(message, *answer, context.now());
  for (const std::uint32_t token : answer->complete) on_sent(context, token, context.now());
  repeat(answer->again, context);
  if (pacing_) fabric_.pump(context, crossbar_.egress(), *this);
}

void Nic::tell_pacing(const Acknowledgement& message, const RepairSender::Answer& answer, SimTime now) {
  const Address& back = message.address;
  const std::uint64_t flow = Address(back.to(), back.from(), back.connection()).word();
  if (answer.arrived > 0) {
    std::optional<SimTime> round_trip;
    if (answer.sent_at) round_trip = std::max(now - *answer.sent_at, SimTime{0});
    pacing_->acknowledged(flow, answer.arrived, round_trip,
                          message.kind == MessageKind::marked_acknowledgement, now);
  }
  repair_->values.on_fate(flow, answer.value, fate_of(message.kind));
  if (message.kind == MessageKind::trim_notice)
    for (const RepairSender::Again& one : answer.again) pacing_->trimmed(flow, one.frame.bytes, now);
}

void Nic::on_repair_timer(const Address& flow, Context& context) {
  if (repair_->sender.is_idle(flow)) context.count_as_idle();
  if (is_over(flow)) return discards_.add(DiscardedAt::sender, forget(flow, context));
  const RepairSender::Timeout timeout = repair_->sender.on_timer(flow, context.now());
  if (timeout.is_broken) {
    Frame all{.kind = MessageKind::train, .address = flow};
    if (restarts_jobs_) all.bytes = static_cast<std::uint32_t>(forget(flow, context));
    return give_up(all, "nothing was acknowledged", context);
  }
  if (timeout.ask_again) context.wake(*timeout.ask_again, to_payload(RepairTimer{.address = flow}));
  if (pacing_)
    for (const RepairSender::Again& one : *timeout.again) pacing_->timed_out(flow.word(), one.frame.bytes);
  repeat(*timeout.again, context);
}

/// Gives up what is on the way of a flow; returns its payload that is not known to be there [B].
std::int64_t Nic::forget(const Address& flow, Context& context) {
  const RepairSender::Forgotten forgotten = repair_->sender.forget(flow);
  for (const std::uint32_t token : forgotten.tokens) drop_notice(token, context);
  return forgotten.bytes;
}

/// Of one flow, ahead of what it has not sent yet.
void Nic::repeat(const std::vector<RepairSender::Again>& again, Context& context) {
  if (again.empty()) return;
  // Control messages have turns of their own, in the order of posting; trains go to the front of their flow.
  const bool is_control = again.front().frame.kind == MessageKind::numbered_control;
  for (std::size_t i = 0; i < again.size(); ++i) {
    const RepairSender::Again& one = again[is_control ? i : again.size() - 1 - i];
    const Address& flow = one.frame.address;
    fabric_[port_for(flow, one.frame.lane, context.now())].post_first(
        outgoing(one.frame, one.frame.bytes, one.source, none), context.now());
  }
  fabric_.pump(context, crossbar_.egress(), *this);
}

void Nic::record_repair(Context& context) const {
  for (std::uint32_t lane = 0; lane < max_lanes; ++lane) {
    const RepairSender::Counts& sent = repair_->sender.counts(lane);
    const RepairReceiver::Counts& received = repair_->receiver.counts(lane);
    if (sent.trains > 0 || received.trains > 0)
      record_repairs(context, {lane, sent.trains, sent.again, sent.again_bytes, sent.timeouts,
                               received.trains, received.bytes});
  }
}

}  // namespace lightrail

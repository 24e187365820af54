// What a NIC is asked to send: by which port, on which lane, and who is told when it has left.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "components/nic/deferred.hpp"
#include "components/nic/nic.hpp"
#include "network/port/reports.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// Work requests pass one after the other, one interval each.
void Nic::accept_work(const DeferredWork& work, Context& context) {
  SimTime at = std::max(context.now(), work_free_at_);
  work_free_at_ = at + work_interval_;
  if (at == context.now()) return start_work(work, context);
  context.wake(at, to_payload(work));
}

/// On the wire, where levels are named.
std::uint8_t Nic::lane_of(const Address& address, bool is_control) const {
  const std::uint8_t level = levels_->level_of(address, is_control);
  return lanes_ ? lanes_->of[level] : level;
}

void Nic::start_work(const DeferredWork& work, Context& context) {
  const EndpointId to = work.address.to();
  if (is_over(work.address)) {
    if (work.kind == MessageKind::work_request) discards_.add(DiscardedAt::sender, work.bytes);
    return;
  }
  bool exists = book_ && to.value < book_->endpoints.size();
  // What the fabric reduces comes back to its sender, but by way of the switch.
  PortIndex out = exists && !work.reduce_in_fabric ? port_of(to) : 0;
  if (!exists || (out == 0 && !(*book_)[to].lid.is_valid()))
    fail(context, fmt::format("endpoint {} ({}) {}", to.value, endpoint_name(model_, to),
                              exists ? "has no NIC" : "does not exist"));
  if (!crossbar_.egress().is_connected(out))
    fail(context, fmt::format("endpoint {} ({}) cannot be reached: port 0 is not connected", to.value,
                              endpoint_name(model_, to)));
  if (work.bytes == 0) return on_sent(context, work.notify ? notices_.add(work) : none, context.now());
  MessageKind kind = work.kind;
  if (kind == MessageKind::work_request)
    kind = work.reduce_in_fabric ? MessageKind::reduce : MessageKind::train;
  const bool is_control = work.kind == MessageKind::control;
  const std::uint8_t lane = levels_ && out == 0 ? lane_of(work.address, is_control) : work.lane;
  if (out == 0 && repair_ && repair_->sender.is_lossy(lane) && health_ && !health_->is_empty())
    fail(context, fmt::format("class {} is {}, and another NIC may stand in for this one: nobody "
                              "could repair what is on the way then",
                              lane, why_repaired()));
  Outgoing message{work.address.from(), to,   work.address.connection(),
                   work.bytes,          lane, kind,
                   work.port(),         none, frame_of(Train{.packets = 0, .retries = work.retries}).detail};
  if (work.part != 0) message.longest = PartCode::longest(work.part);
  if (out == 0) return send_message(message, work, context);
  Outgoing whole = message;
  whole.token = work.notify ? notices_.add(work) : none;
  injector(out).post(whole, context.now());
  injector(out).pump(context, crossbar_.egress(), *this);
}

/// To the fabric.
void Nic::send_message(Outgoing message, const DeferredWork& work, Context& context) {
  const SimTime now = context.now();
  const Address flow(message.from, message.to, message.connection);
  const bool is_whole = spec_.ports == 1 || is_in_order(message.lane);
  const std::uint32_t parts = is_whole ? 1 : fabric_.parts_of(message, lid_of(message.to, now), now);
  message.token = work.notify ? notices_.add(work, parts) : none;
  // Of several messages in one the device hears of each end.
  message.is_counted = counts_trains_ && message.kind == MessageKind::train && !work.is_grown;
  looked_until_ = SimTime{};
  std::int64_t left = message.bytes;
  for (std::uint32_t part = 0; part < parts; ++part) {
    message.bytes = left / (parts - part);
    left -= message.bytes;
    const PortIndex port = parts == 1 ? port_for(flow, message.lane, now) : static_cast<PortIndex>(part);
    fabric_[port].post(message, now);
    fabric_[port].pump(context, crossbar_.egress(), *this);
  }
}

Lid Nic::lid_of(EndpointId to, SimTime now) const {
  if (health_) to = health_->stand_in(to, now, Observer::sender);
  return book_ && to.value < book_->endpoints.size() ? (*book_)[to].lid : Lid{};
}

PortIndex Nic::port_for(const Address& flow, std::uint8_t lane, SimTime now) const {
  if (spec_.ports == 1) return 0;
  return fabric_.choose(flow, lid_of(flow.to(), now), is_in_order(lane), now, crossbar_.egress());
}

void Nic::post(const Outgoing& message, SimTime now) {
  const Address flow(message.from, message.to, message.connection);
  fabric_[port_for(flow, message.lane, now)].post(message, now);
}

void Nic::on_sent(Context& context, std::uint64_t token, SimTime tail) {
  if (token == none) return;
  const auto notice = notices_.part_sent(static_cast<std::uint32_t>(token), tail);
  if (!notice) return;
  if (kind_of(notice->payload) == MessageKind::train)
    return crossbar_.release(context, as<Frame>(notice->payload), notice->port, notice->tail);
  context.send(notice->port, notice->tail, notice->payload);
}

/// Of a GPU behind the host; its head is here now. Its bytes leave as they come in: the line to the host is
/// their source.
void Nic::send_on(const Frame& train, PortIndex port, Context& context) {
  const EndpointId to = train.address.to();
  if (is_over(train.address)) {
    crossbar_.take(context, train, port, context.now());
    return discards_.add(DiscardedAt::sender, train);
  }
  if (!book_ || to.value >= book_->endpoints.size() || !(*book_)[to].lid.is_valid())
    fail(context,
         fmt::format("endpoint {} ({}) has no NIC in this fabric", to.value, endpoint_name(model_, to)));
  crossbar_.hold(context, train, port);
  const std::uint8_t lane = levels_ ? lane_of(train.address, false) : train.lane;
  Frame own = train;
  own.kind = MessageKind::train, own.lane = lane, own.detail = 0;
  own.address = Address(train.address.from(), to, train.address.connection());
  post(outgoing(own, train.bytes, port, notices_.add(train, port)), context.now());
  looked_until_ = SimTime{};
  fabric_.pump(context, crossbar_.egress(), *this);
}

}  // namespace lightrail

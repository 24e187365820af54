// What a NIC does with what its cable or an optical switch did not take: sends it again, or gives it back.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/nic/nic.hpp"
#include "network/port/reports.hpp"
#include "network/wire/delegated_train.hpp"
#include "network/wire/link_change.hpp"
#include "network/wire/marked_train.hpp"
#include "network/wire/returned_work.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// What a cable did not take is sent again; where work waits for one, somebody asks after it; and what was
/// given to one of several ports goes by another when that is known to be better.
void Nic::watch(Context& context) {
  const SimTime now = context.now();
  EgressBank& egress = crossbar_.egress();
  if (!fabric_.is_idle() && fabric_.has_changed(now)) spread_again(context);
  if (egress.has_cut_off())
    for (const EgressBank::CutOff& cut : egress.take_cut_off())
      if (const auto train = without_mark(cut.train, mtu_bytes_))
        send_again(Retransmission::lost(as<Train>(*train)), context);
  if (fabric_.is_idle()) return;
  SimTime at = fabric_.changes_at();
  if (fabric_.is_held_up(egress, now)) {
    if (now >= looked_until_ && !fabric_.is_usable(egress, now)) {
      looked_until_ =
          std::min(fabric_.next_cable_change(egress, now),
                   health_->next_change_of_server(endpoint_at_[first_device()], now, Observer::sender));
      give_back_all(context);
      if (fabric_.is_idle()) return;
    }
    at = std::min({at, fabric_.next_cable_change(egress, now),
                   health_->next_change(endpoint_at_[first_device()], now, Observer::sender)});
  }
  if (at == time_never || (watched_until_ > now && watched_until_ <= at)) return;
  watched_until_ = at;
  context.wake(at, to_payload(LinkChange{}));
}

void Nic::spread_again(Context& context) {
  for (const Injector::Rest& rest : fabric_.take_all()) post(rest.message(), context.now());
  fabric_.pump(context, crossbar_.egress(), *this);
}

void Nic::give_back_all(Context& context) {
  const SimTime now = context.now();
  bool has_other_ways = false;
  for (std::uint32_t port = first_device(); port < endpoint_at_.size(); ++port)
    has_other_ways |= gives_back(static_cast<PortIndex>(port), now);
  if (!has_other_ways) return;
  std::vector<Injector::Rest> kept;
  for (const Injector::Rest& rest : fabric_.take_all()) {
    if (rest.head.kind == MessageKind::congestion_notice) continue;  // of no use when it is late
    const PortIndex device = rest.source != 0 ? rest.source : port_or_first(rest.head.address.from());
    if (!gives_back(device, now)) {
      kept.push_back(rest);
      continue;
    }
    // Who is told of a message in parts is told of the last of them.
    const bool is_told =
        rest.token != none && notices_.part_cancelled(static_cast<std::uint32_t>(rest.token));
    give_back(context, device, rest.head, rest.bytes, is_told);
  }
  for (const Injector::Rest& rest : kept) post(rest.message(), now);
}

/// Whether the device at that port has another NIC of its server to go by, and knows that it needs one.
bool Nic::gives_back(PortIndex device, SimTime now) const {
  return health_->stand_in(endpoint_at_[device], now, Observer::sender) != endpoint_at_[device];
}

void Nic::give_back(Context& context, PortIndex device, const Frame& head, std::int64_t bytes, bool notify) {
  ReturnedWork work;
  work.lane = head.lane, work.notify = notify, work.is_control = head.kind == MessageKind::control;
  work.bytes = static_cast<std::uint32_t>(bytes), work.address = head.address;
  context.send(device, context.now(), to_payload(work));
}

/// An optical switch could not pass it on.
void Nic::send_again(const Train& back, Context& context) {
  if (is_over(back.address))
    return discards_.add(DiscardedAt::sender, frame_of(Retransmission::original(back)));
  ++resent_;
  if (Retransmission::is_corrupt(back.kind)) return send_original(back, context);
  const auto later = Retransmission::later(back, spec_.retries);
  if (!later && returns_.lost != LostTrains::from_nic) {
    ReturnedTrain train = ReturnedTrain::of(Retransmission::original(back));
    train.is_given_up = 1, train.retries = 0;  // the GPU finds another way or gives up
    crossbar_.egress().offer(context, first_device(), frame_of(train), context.now());
    return;
  }
  if (!later)
    return give_up(frame_of(Retransmission::original(back)), "no light on the way, or a failed link",
                   context);
  context.wake(context.now() + spec_.retransmit_timeout, to_payload(*later));
}

/// Where circuits change the GPU knows where they lead now, and waits for the one that it needs.
void Nic::send_original(const Train& back, Context& context) {
  Frame train = frame_of(Retransmission::original(back));
  if (is_over(back.address)) return discards_.add(DiscardedAt::sender, train);
  const PortIndex device = port_or_first(train.address.from());
  if (health_ && gives_back(device, context.now()))
    return give_back(context, device, train, train.bytes, false);
  if (returns_.lost == LostTrains::from_gpu)
    train = frame_of(ReturnedTrain::of(Retransmission::original(back)));
  const PortIndex out = returns_.lost == LostTrains::from_gpu
                            ? first_device()
                            : port_for(train.address, train.lane, context.now());
  crossbar_.egress().offer(context, out, train, context.now());
}

/// What the server sent in earlier attempts of its job is thrown away.
void Nic::flush(const restart_control::Flush& order, Context& context) {
  if (order.attempt <= attempt_) return;
  attempt_ = order.attempt;
  for (std::uint32_t port = 0; port < endpoint_at_.size(); ++port) {
    Injector& from = injector(port);
    for (const Injector::Rest& rest : from.take_all()) {
      if (is_over(rest.head.address))
        drop(rest, context);
      else
        from.post(rest.message(), context.now());
    }
    from.pump(context, crossbar_.egress(), *this);
  }
}

void Nic::drop(const Injector::Rest& rest, Context& context) {
  if (is_payload(rest.head.kind)) discards_.add(DiscardedAt::sender, rest.bytes);
  drop_notice(rest.token, context);
}

/// Nobody is told of a part that has not been sent.
void Nic::drop_notice(std::uint64_t token, Context& context) {
  if (token == none) return;
  const auto notice = notices_.part_sent(static_cast<std::uint32_t>(token), context.now());
  if (notice && kind_of(notice->payload) == MessageKind::train)  // its buffer waits for this
    crossbar_.release(context, as<Frame>(notice->payload), notice->port, context.now());
}

/// A train was sent as often as it may.
void Nic::give_up(const Frame& train, const char* why, Context& context) {
  const EndpointId to = train.address.to();
  if (!restarts_jobs_)
    fail(context, fmt::format("gave up sending to endpoint {} ({}) after {} retries: {}", to.value,
                              endpoint_name(model_, to), spec_.retries, why));
  discards_.add(DiscardedAt::network, train);
  tell_of_break(Address(to, train.address.from(), train.address.connection()), context);
}

/// `broken`: from the end that cannot be reached to the sender, which is behind this NIC.
void Nic::tell_of_break(const Address& broken, Context& context) {
  const PortIndex device = port_or_first(broken.to());
  context.send(device, context.now(), to_payload(restart_control::BrokenConnection{.address = broken}));
}

}  // namespace lightrail

#include "components/gpu/transport/queue_pair_ends.hpp"

#include <algorithm>

#include "components/gpu/transport/paths/stripes.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {
namespace {

/// Puts `value` in the first free place of `all`, or behind its end. Free places are in a list by `next`.
template <class T>
std::uint32_t take_place(std::vector<T>& all, std::uint32_t& first_free, std::uint32_t T::*next,
                         const T& value) {
  const std::uint32_t place = first_free;
  if (place == FlowIndex::none) {
    all.push_back(value);
    return static_cast<std::uint32_t>(all.size() - 1);
  }
  first_free = all[place].*next;
  all[place] = value;
  return place;
}

}  // namespace

std::unique_ptr<QueuePairEnds> QueuePairEnds::make(const BuildContext& build, PathHost& host) {
  const auto* pairs = build.model.resource<QueuePairs>();
  return pairs ? std::make_unique<QueuePairEnds>(*pairs, host) : nullptr;
}

QueuePairEnds::QueuePairEnds(const QueuePairs& pairs, PathHost& host) : pairs_(pairs), host_(host) {
  host.tell_parts_to(*this);
}

std::uint32_t QueuePairEnds::Flows::place_of(EndpointId peer, Connection connection) {
  const std::uint64_t key = flow_of(peer, connection);
  std::uint32_t place = index.find(key);
  if (place != FlowIndex::none) return place;
  place = static_cast<std::uint32_t>(all.size());
  index.insert(key, place);
  all.emplace_back();
  return place;
}

/// A chunk of a message, with what a protocol or plugin adds to its payload.
std::int64_t QueuePairEnds::chunk_on_wire(Connection connection, std::int64_t payload,
                                          std::int64_t wire) const {
  const std::int64_t chunk = pairs_.chunk_of(static_cast<Phase>(connection.phase()));
  return payload <= chunk ? wire : static_cast<std::int64_t>((Wide{wire} * chunk + payload - 1) / payload);
}

QueuePairEnds::Shares QueuePairEnds::shares_of(Flow& flow, Connection connection, std::int64_t payload,
                                               std::int64_t wire) const {
  LIGHTRAIL_EXPECT(wire > 0);
  const std::uint32_t count = pairs_.count;
  Shares all;
  if (pairs_.use == QueuePairUse::split) {
    all.count = count;
    for (std::uint32_t i = 0; i < count; ++i) all.bytes[i] = even_part(wire, i, count);
    return all;
  }
  const std::int64_t chunk = chunk_on_wire(connection, payload, wire), chunks = (wire + chunk - 1) / chunk;
  all.first = flow.turn;
  all.count = static_cast<std::uint32_t>(std::min<std::int64_t>(chunks, count));
  for (std::uint32_t i = 0; i < all.count; ++i) all.bytes[i] = (chunks + count - 1 - i) / count * chunk;
  all.bytes[(chunks - 1) % count] -= chunks * chunk - wire;
  flow.turn = static_cast<std::uint32_t>((flow.turn + chunks) % count);
  return all;
}

/// Of equally busy queue pairs the one whose turn it is.
QueuePairEnds::Shares QueuePairEnds::least_shares(std::uint32_t flow, Connection connection,
                                                  std::int64_t payload, std::int64_t wire) {
  const std::uint32_t count = pairs_.count;
  under_way_.resize(std::max<std::size_t>(under_way_.size(), (std::size_t{flow} + 1) * count));
  std::int64_t* own = &under_way_[std::size_t{flow} * count];
  Shares all;
  all.count = count;
  std::uint32_t& turn = sending_.all[flow].turn;
  const std::int64_t chunk = chunk_on_wire(connection, payload, wire);
  for (std::int64_t left = wire; left > 0; left -= chunk) {
    std::uint32_t least = turn;
    for (std::uint32_t i = 1; i < count; ++i)
      if (const std::uint32_t other = (turn + i) % count; own[other] < own[least]) least = other;
    turn = (turn + 1) % count;
    const std::int64_t piece = std::min(left, chunk);
    own[least] += piece, all.bytes[least] += piece;
  }
  return all;
}

void QueuePairEnds::send(Context& context, const Transfer& transfer, Path& path) {
  const std::uint32_t flow = sending_.place_of(transfer.to, transfer.connection);
  const bool is_least = pairs_.use == QueuePairUse::least;
  const Shares shares =
      is_least
          ? least_shares(flow, transfer.connection, transfer.payload_bytes, transfer.wire_bytes)
          : shares_of(sending_.all[flow], transfer.connection, transfer.payload_bytes, transfer.wire_bytes);
  const auto used =
      static_cast<std::uint32_t>(std::count_if(shares.bytes.begin(), shares.bytes.begin() + shares.count,
                                               [](std::int64_t bytes) { return bytes > 0; }));
  const std::uint32_t whole =
      transfer.notify ? open(Sending{.owner = transfer.owner, .shares_left = used}) : none;
  Transfer share = transfer;
  share.is_part = true, share.notify = transfer.notify || is_least;
  share.owner = {whole, 0};
  for (std::uint32_t i = 0; i < shares.count; ++i) {
    share.wire_bytes = shares.bytes[i];
    if (share.wire_bytes == 0) continue;
    const std::uint32_t pair = (shares.first + i) % pairs_.count;
    share.connection = pairs_.of(transfer.connection, pair + 1);
    if (is_least)
      share.owner.slot =
          open(Sending{.bytes = share.wire_bytes, .under_way = flow * pairs_.count + pair, .whole = whole});
    path.send(context, share);
    ++share.owner.sub;
  }
}

std::uint32_t QueuePairEnds::open(const Sending& message) {
  return take_place(outgoing_, free_outgoing_, &Sending::next_free, message);
}

void QueuePairEnds::close(std::uint32_t outgoing) {
  outgoing_[outgoing].next_free = free_outgoing_;
  free_outgoing_ = outgoing;
}

void QueuePairEnds::on_part_sent(std::uint32_t number, SimTime at) {
  std::uint32_t whole = number;
  if (const Sending& share = outgoing_[number]; share.under_way != none) {
    under_way_[share.under_way] -= share.bytes;
    whole = share.whole;
    close(number);
    if (whole == none) return;
  }
  Sending& message = outgoing_[whole];
  message.sent_at = std::max(message.sent_at, at);
  if (--message.shares_left > 0) return;
  host_.tell_sent(message.owner, message.sent_at);
  close(whole);
}

std::uint32_t QueuePairEnds::open(const Incoming& message) {
  return take_place(incoming_, free_incoming_, &Incoming::next, message);
}

bool QueuePairEnds::expect(Context& context, const Expectation& expected) {
  if (!has_queue_pairs(expected.connection, expected.is_by_gpu) || !is_counted(expected.connection) ||
      host_.is_near(expected.from))
    return false;
  const std::uint32_t flow = receiving_.place_of(expected.from, expected.connection);
  Flow& own = receiving_.all[flow];
  const Shares shares = shares_of(own, expected.connection, expected.payload_bytes, expected.wire_bytes);
  const std::uint32_t message = open(Incoming{.from = expected.from,
                                              .connection = expected.connection,
                                              .payload_bytes = expected.payload_bytes,
                                              .wire_bytes = expected.wire_bytes,
                                              .after = expected.after,
                                              .owner = expected.owner,
                                              .shares_left = shares.count,
                                              .flow = flow,
                                              .is_counted = expected.is_counted});
  (own.first == none ? own.first : incoming_[own.last].next) = message;
  own.last = message;
  // Shares without bytes are asked for, too: so messages of a queue pair stay in their order.
  for (std::uint32_t i = 0; i < shares.count; ++i) {
    Expectation share = expected;
    share.wire_bytes = share.payload_bytes = shares.bytes[i];
    share.owner = {message, i};
    const Connection pair = pairs_.of(expected.connection, (shares.first + i) % pairs_.count + 1);
    settle(context, shares_.expect(flow_of(expected.from, pair), share));
  }
  return true;
}

bool QueuePairEnds::arrive(Context& context, const Train& train, SimTime tail) {
  if (train.address.to() != host_.self() || pairs_.number(train.address.connection()) == 0) return false;
  if (is_counted(train.address.connection())) {
    settle(context, shares_.add(train.address.flow(), train.bytes, context.now(), tail));
    return true;
  }
  Train whole = train;
  const Address& way = train.address;
  whole.address = Address(way.from(), way.to(), pairs_.whole(way.connection()));
  host_.arrive(context, whole, tail);
  return true;
}

/// The shares that are complete of the flow that shares_ has in `place`.
void QueuePairEnds::settle(Context& context, std::uint32_t place) {
  while (const auto share = shares_.next(place, context.now())) {
    Incoming& message = incoming_[share->owner.slot];
    // A share without bytes has no head.
    if (share->payload_bytes > 0) message.head = std::min(message.head, share->head);
    message.tail = std::max(message.tail, share->at);
    if (--message.shares_left == 0) hand_out(context, receiving_.all[message.flow]);
  }
}

/// The messages of a connection that have come whole, and none before them is missing.
void QueuePairEnds::hand_out(Context& context, Flow& flow) {
  while (flow.first != none && incoming_[flow.first].shares_left == 0) {
    const std::uint32_t place = flow.first;
    const Incoming message = incoming_[place];
    flow.first = message.next;
    if (flow.first == none) flow.last = none;
    incoming_[place].next = free_incoming_;
    free_incoming_ = place;
    flow.handed_at = std::max({flow.handed_at, message.tail, context.now()});
    host_.deliver(context, message.from, message.connection,
                  {message.owner, flow.handed_at, message.after, message.head, message.payload_bytes,
                   message.is_counted != 0});
  }
}

std::int64_t QueuePairEnds::drop_all() {
  // What had come of messages that were not handed out is in shares_, or was taken from there for them.
  std::int64_t bytes = -shares_.awaited_bytes();
  for (const Flow& flow : receiving_.all)
    for (std::uint32_t i = flow.first; i != none; i = incoming_[i].next) bytes += incoming_[i].wire_bytes;
  sending_ = {}, receiving_ = {};
  under_way_.clear(), incoming_.clear(), outgoing_.clear();
  free_incoming_ = free_outgoing_ = none;
  return bytes + shares_.drop_all(host_.self());
}

void QueuePairEnds::save(StateWriter& out) const {
  sending_.index.save(out), out.put(sending_.all);
  receiving_.index.save(out), out.put(receiving_.all);
  out.put(under_way_), shares_.save(out), out.put(incoming_), out.put(outgoing_);
  out.put(free_incoming_), out.put(free_outgoing_);
}

void QueuePairEnds::load(StateReader& in) {
  sending_.index.load(in), in.get(sending_.all);
  receiving_.index.load(in), in.get(receiving_.all);
  in.get(under_way_), shares_.load(in), in.get(incoming_), in.get(outgoing_);
  in.get(free_incoming_), in.get(free_outgoing_);
}

}  // namespace lightrail

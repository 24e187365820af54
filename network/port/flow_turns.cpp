#include "network/port/flow_turns.hpp"

#include <algorithm>
#include <functional>
#include <span>

namespace lightrail {

FlowTurns::FlowTurns(std::uint32_t rings, std::uint32_t plain_rings, std::uint32_t train_bytes)
    : rings_(rings), plain_rings_(plain_rings), train_bytes_(train_bytes), busy_(knows_busy() ? 0 : ~0u) {
  if (plain_rings_ < rings) fair_ = std::make_unique<FairRing[]>(rings);
}

std::uint32_t FlowTurns::new_flow() {
  if (free_flow_ == none) {
    flows_.emplace_back();
    return static_cast<std::uint32_t>(flows_.size() - 1);
  }
  const std::uint32_t flow = free_flow_;
  free_flow_ = flows_[flow].next;
  return flow;
}

FlowTurns::Turn FlowTurns::turn(std::uint32_t ring, std::uint32_t flow, std::int64_t left,
                                std::int64_t longest) {
  const std::int64_t ahead = left <= longest ? left : longest / 2;
  return {flows_[flow].position + ahead, fair_[ring].given++, flow, 0};
}

std::uint32_t FlowTurns::add(std::uint32_t ring, const Message& message) {
  const std::uint32_t flow = new_flow();
  Ring& r = rings_[ring];
  flows_[flow] = {.message = message};
  if (is_plain(ring)) {
    if (r.count == 0) r.first = flow;
    const std::uint32_t others = r.count > 1 ? r.shortest : flows_[r.first].message.head.bytes;
    r.shortest = std::min(others, message.head.bytes);
    Flow& next = flows_[r.first];  // itself, if it is the first
    const std::uint32_t previous = r.count == 0 ? flow : next.previous;
    flows_[flow].next = r.first;
    flows_[flow].previous = previous;
    flows_[previous].next = flow;
    next.previous = flow;
  } else {
    FairRing& fair = fair_[ring];
    flows_[flow].position = r.count == 0 ? 0 : fair.positions / r.count;
    fair.positions += flows_[flow].position;
    fair.turns.push_back(turn(ring, flow, message.left, message.head.bytes));
    std::push_heap(fair.turns.begin(), fair.turns.end(), std::greater<>());
    r.first = fair.turns.front().flow;
  }
  ++r.count;
  note_busy(ring);
  return flow;
}

/// Flows that owe miss their turns, to the next one that does not.
void FlowTurns::skip_owing(Ring& ring) {
  while (true) {
    if (ring.owing == ring.count) skip_rounds(ring);
    Flow& flow = flows_[ring.first];
    if (flow.position <= 0) return;
    flow.position -= ring.shortest;
    if (flow.position <= 0) --ring.owing;
    ring.first = flow.next;
  }
}

template <class Function>
void FlowTurns::for_each(const Ring& ring, Function&& function) {
  std::uint32_t flow = ring.first;
  do {
    function(flows_[flow]);
    flow = flows_[flow].next;
  } while (flow != ring.first);
}

void FlowTurns::find_shortest(Ring& ring) {
  ring.shortest = flows_[ring.first].message.head.bytes;
  for_each(ring, [&](const Flow& flow) { ring.shortest = std::min(ring.shortest, flow.message.head.bytes); });
}

/// All flows owe: each misses as many turns as the one that owes least.
void FlowTurns::skip_rounds(Ring& ring) {
  find_shortest(ring);
  std::int64_t least = flows_[ring.first].position;
  for_each(ring, [&](const Flow& flow) { least = std::min(least, flow.position); });
  const std::int64_t paid = (least + ring.shortest - 1) / ring.shortest * ring.shortest;
  for_each(ring, [&](Flow& flow) {
    flow.position -= paid;
    if (flow.position <= 0) --ring.owing;
  });
}

/// Puts `turn` in the place of the lowest one and lets it sink.
void FlowTurns::replace_first(std::vector<Turn>& heap, const Turn& turn) {
  std::size_t place = 0;
  for (std::size_t child = 1; child < heap.size(); child = 2 * place + 1) {
    if (child + 1 < heap.size() && heap[child] > heap[child + 1]) ++child;
    if (!(turn > heap[child])) break;
    heap[place] = heap[child];
    place = child;
  }
  heap[place] = turn;
}

void FlowTurns::sent_in_turn(std::uint32_t ring, std::uint32_t bytes, std::int64_t left,
                             std::uint32_t longest) {
  const std::uint32_t flow = first(ring);
  flows_[flow].position += bytes;
  fair_[ring].positions += bytes;
  replace_first(fair_[ring].turns, turn(ring, flow, left, longest));
  rings_[ring].first = fair_[ring].turns.front().flow;
}

void FlowTurns::pass(std::uint32_t ring, std::int64_t left) {
  Ring& r = rings_[ring];
  if (is_plain(ring)) {
    r.first = flows_[r.first].next;
    if (r.owing != 0) skip_owing(r);
    return;
  }
  sent_in_turn(ring, static_cast<std::uint32_t>(std::min<std::int64_t>(left, train_bytes_)), left,
               train_bytes_);
}

void FlowTurns::remove_first(std::uint32_t ring) {
  Ring& r = rings_[ring];
  const std::uint32_t flow = first(ring);
  --r.count;
  note_busy(ring);
  if (is_plain(ring)) {
    const std::uint32_t next = flows_[flow].next, previous = flows_[flow].previous;
    flows_[previous].next = next;
    flows_[next].previous = previous;
    r.first = r.count == 0 ? none : next;
    if (r.count == 1) {  // has the line to itself
      flows_[next].position = 0;
      r.owing = 0;
    }
    if (r.owing != 0) {
      if (flows_[flow].message.head.bytes == r.shortest) find_shortest(r);
      skip_owing(r);
    }
  } else {
    FairRing& fair = fair_[ring];
    fair.positions -= flows_[flow].position;
    std::pop_heap(fair.turns.begin(), fair.turns.end(), std::greater<>());
    fair.turns.pop_back();
    r.first = r.count == 0 ? none : fair.turns.front().flow;
  }
  flows_[flow].next = free_flow_;
  free_flow_ = flow;
}

void FlowTurns::save(StateWriter& out) const {
  for (const Ring& ring : rings_) out.put(ring);
  out.put(flows_), out.put(free_flow_);
  for (const FairRing& fair : std::span(fair_.get(), fair_ ? rings_.size() : 0))
    out.put(fair.positions), out.put(fair.given), out.put(fair.turns);
}

void FlowTurns::load(StateReader& in) {
  for (Ring& ring : rings_) in.get(ring);
  for (std::uint32_t ring = 0; ring < rings_.size(); ++ring) note_busy(ring);
  in.get(flows_), in.get(free_flow_);
  for (FairRing& fair : std::span(fair_.get(), fair_ ? rings_.size() : 0))
    in.get(fair.positions), in.get(fair.given), in.get(fair.turns);
}

}  // namespace lightrail

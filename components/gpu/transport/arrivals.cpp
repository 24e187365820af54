#include "components/gpu/transport/arrivals.hpp"

#include <algorithm>

namespace lightrail {

std::uint32_t Arrivals::slot_of(std::uint64_t key) {
  std::uint32_t slot = index_.find(key);
  if (slot == FlowIndex::none) {
    slot = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
    index_.insert(key, slot);
  }
  return slot;
}

std::uint32_t Arrivals::add(std::uint64_t key, std::int64_t bytes, SimTime head, SimTime tail) {
  const std::uint32_t slot = slot_of(key);
  Flow& flow = flows_[slot];
  if (flow.held_bytes == 0) flow.head = head;
  flow.held_bytes += bytes;
  flow.tail = std::max(flow.tail, tail);
  return slot;
}

std::uint32_t Arrivals::expect(std::uint64_t key, const Expectation& expectation) {
  std::uint32_t index = free_wait_;
  if (index == none) {
    index = static_cast<std::uint32_t>(waits_.size());
    waits_.emplace_back();
  } else {
    free_wait_ = waits_[index].next;
  }
  waits_[index] = {
      expectation.wire_bytes, expectation.payload_bytes, expectation.after, expectation.owner, none,
      expectation.is_counted};
  const std::uint32_t slot = slot_of(key);
  Flow& flow = flows_[slot];
  if (flow.last_wait == none)
    flow.first_wait = index;
  else
    waits_[flow.last_wait].next = index;
  flow.last_wait = index;
  return slot;
}

std::optional<Arrivals::Complete> Arrivals::next(std::uint32_t slot, SimTime now) {
  Flow& flow = flows_[slot];
  if (flow.first_wait == none || flow.held_bytes < waits_[flow.first_wait].wire_bytes) return std::nullopt;
  const std::uint32_t index = flow.first_wait;
  const Wait wait = waits_[index];
  flow.first_wait = wait.next;
  if (flow.first_wait == none) flow.last_wait = none;
  waits_[index].next = free_wait_;
  free_wait_ = index;
  flow.held_bytes -= wait.wire_bytes;
  const SimTime head = flow.head;
  flow.head = now;
  return Complete{wait.owner, std::max(now, flow.tail), wait.after,
                  head,       wait.payload_bytes,       wait.is_counted != 0};
}

std::int64_t Arrivals::unclaimed() const {
  std::int64_t bytes = 0;
  for (const Flow& flow : flows_)
    if (flow.first_wait == none) bytes += flow.held_bytes;
  return bytes;
}

void Arrivals::save(StateWriter& out) const {
  index_.save(out);
  out.put(flows_), out.put(waits_), out.put(free_wait_);
}

void Arrivals::load(StateReader& in) {
  index_.load(in);
  in.get(flows_), in.get(waits_), in.get(free_wait_);
}

}  // namespace lightrail

#include "components/gpu/transport/arrivals.hpp"

#include <algorithm>

#include "network/wire/phase.hpp"

namespace lightrail {

/// Where `key` is, or the unused place where the search ends.
std::size_t Arrivals::search(std::uint64_t key) const {
  std::size_t i = home(key);
  while (flows_[i].needed_bytes != unused && flows_[i].key != key) i = (i + 1) & (flows_.size() - 1);
  return i;
}

std::uint32_t Arrivals::place_of(std::uint64_t key) {
  if (!flows_.empty()) [[likely]]
    if (const std::size_t i = search(key); flows_[i].needed_bytes != unused) [[likely]]
      return static_cast<std::uint32_t>(i);
  if ((count_ + 1) * 4 > flows_.size() * 3) grow();
  ++count_;
  const std::size_t i = search(key);
  flows_[i].key = key;
  flows_[i].needed_bytes = never;
  return static_cast<std::uint32_t>(i);
}

void Arrivals::grow() {
  std::vector<Flow> old(flows_.empty() ? 4 : flows_.size() * 2);
  old.swap(flows_);
  for (const Flow& flow : old)
    if (flow.needed_bytes != unused) flows_[search(flow.key)] = flow;
}

std::uint32_t Arrivals::add(std::uint64_t key, std::int64_t bytes, SimTime head, SimTime tail) {
  const std::uint32_t place = place_of(key);
  Flow& flow = flows_[place];
  if (flow.held_bytes == 0) flow.head = head;
  flow.held_bytes += bytes;
  flow.tail_before = flow.tail;
  flow.tail = std::max(flow.tail, tail);
  flow.last_bytes = static_cast<std::uint32_t>(bytes);
  return place;
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
  const std::uint32_t place = place_of(key);
  Flow& flow = flows_[place];
  if (flow.last_wait == none) {
    flow.first_wait = index;
    flow.needed_bytes = expectation.wire_bytes;
  } else {
    waits_[flow.last_wait].next = index;
  }
  flow.last_wait = index;
  return place;
}

Arrivals::Complete Arrivals::take(Flow& flow, SimTime now) {
  const std::uint32_t index = flow.first_wait;
  const Wait wait = waits_[index];
  flow.first_wait = wait.next;
  if (flow.first_wait == none) flow.last_wait = none;
  flow.needed_bytes = flow.first_wait == none ? never : waits_[flow.first_wait].wire_bytes;
  waits_[index].next = free_wait_;
  free_wait_ = index;
  const bool needs_last = flow.held_bytes - flow.last_bytes < wait.wire_bytes;
  flow.held_bytes -= wait.wire_bytes;
  const SimTime head = flow.head, tail = needs_last ? flow.tail : flow.tail_before;
  flow.head = now;
  return {wait.owner, std::max(now, tail), wait.after, head, wait.payload_bytes, wait.is_counted != 0};
}

std::int64_t Arrivals::unclaimed() const {
  std::int64_t bytes = 0;
  for (const Flow& flow : flows_)
    if (flow.needed_bytes == never) bytes += flow.held_bytes;
  return bytes;
}

std::int64_t Arrivals::awaited_bytes() const {
  std::int64_t bytes = 0;
  for (const Flow& flow : flows_)
    for (std::uint32_t wait = flow.first_wait; wait != none; wait = waits_[wait].next)
      bytes += waits_[wait].wire_bytes;
  return bytes;
}

std::int64_t Arrivals::drop_all(EndpointId self) {
  std::int64_t bytes = 0;
  for (const Flow& flow : flows_) {
    const Connection connection{static_cast<std::uint32_t>(flow.key & ((1u << Connection::bits) - 1))};
    if (flow.needed_bytes != unused && flow.key >> Connection::bits != self.value &&
        !is_control(static_cast<Phase>(connection.phase())))
      bytes += flow.held_bytes;
  }
  *this = Arrivals();
  return bytes;
}

void Arrivals::save(StateWriter& out) const {
  out.put(flows_), out.put(count_), out.put(waits_), out.put(free_wait_);
}

void Arrivals::load(StateReader& in) {
  in.get(flows_), in.get(count_), in.get(waits_), in.get(free_wait_);
}

}  // namespace lightrail

#include "network/transport/injection_rates.hpp"

#include <algorithm>

namespace lightrail {

std::uint32_t InjectionRates::index_at(const Rate& rate, SimTime now) const {
  const CongestionSpec& spec = control_->spec();
  const std::int64_t ends = now / spec.timer - rate.updated / spec.timer;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(rate.index - ends, spec.minimum));
}

std::uint32_t InjectionRates::index_of(std::uint64_t flow, SimTime now) const {
  const std::uint32_t slot = index_.find(flow);
  return slot == FlowIndex::none ? control_->spec().minimum : index_at(rates_[slot], now);
}

std::uint32_t InjectionRates::slot_of(std::uint64_t flow) {
  std::uint32_t slot = index_.find(flow);
  if (slot != FlowIndex::none) return slot;
  slot = free_;
  if (slot == FlowIndex::none) {
    slot = static_cast<std::uint32_t>(rates_.size());
    rates_.emplace_back();
  } else {
    free_ = rates_[slot].next_free;
  }
  rates_[slot] = {};
  rates_[slot].index = control_->spec().minimum;
  index_.insert(flow, slot);
  return slot;
}

void InjectionRates::slow_down(std::uint64_t flow, std::uint32_t marks, SimTime now) {
  const CongestionSpec& spec = control_->spec();
  Rate& rate = rates_[slot_of(flow)];
  const std::uint64_t index = index_at(rate, now) + std::uint64_t{marks} * spec.increase;
  rate.index = static_cast<std::uint32_t>(std::min<std::uint64_t>(index, spec.limit));
  rate.updated = now;
}

void InjectionRates::sent(std::uint64_t flow, SimTime at, std::uint32_t, SimTime line) {
  const std::uint32_t least = control_->spec().minimum;
  const bool pauses_always = control_->pause(least, line) > SimTime{0};
  std::uint32_t slot = index_.find(flow);
  if (slot == FlowIndex::none) {
    if (!pauses_always) return;
    slot = slot_of(flow);
  }
  Rate& rate = rates_[slot];
  const std::uint32_t index = index_at(rate, at);
  if (index == least && !pauses_always) {
    rate.next_free = free_;
    free_ = slot;
    return index_.erase(flow);
  }
  rate.next = at + line + control_->pause(index, line);
}

void InjectionRates::save(StateWriter& out) const {
  index_.save(out);
  out.put(rates_), out.put(free_);
}

void InjectionRates::load(StateReader& in) {
  index_.load(in);
  in.get(rates_), in.get(free_);
}

}  // namespace lightrail

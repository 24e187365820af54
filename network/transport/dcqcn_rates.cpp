#include "network/transport/dcqcn_rates.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/transfer_time.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {
namespace {

/// The first of at, at + interval, ... that lies behind `now`.
SimTime first_after(SimTime at, SimTime interval, SimTime now) {
  return at > now ? at : at + interval * ((now - at) / interval + 1);
}

}  // namespace

DcqcnRates::DcqcnRates(const DcqcnSpec& spec, BitRate line)
    : spec_(&spec), line_(line.value), gain_(std::llround(std::ldexp(spec.gain, alpha_bits))) {}

void DcqcnRates::slow_down(std::uint64_t flow, std::uint32_t, SimTime now) {
  const std::uint32_t slot = index_.find(flow);
  if (slot == FlowIndex::none) {
    index_.insert(flow, static_cast<std::uint32_t>(flows_.size()));
    flows_.push_back({.alpha_at = now + spec_->alpha_timer,
                      .decrease_at = now + spec_->decrease_timer,
                      .rate = line_,
                      .target = line_,
                      .alpha = std::int64_t{1} << alpha_bits,
                      .is_noticed_for_rate = 1});
    return;
  }
  Flow& own = flows_[slot];
  advance(own, now);
  own.is_noticed_for_alpha = own.is_noticed_for_rate = 1;
}

/// No later than the next step upwards, which may bring it nearer.
SimTime DcqcnRates::next_start(std::uint64_t flow, SimTime now) {
  const std::uint32_t slot = index_.find(flow);
  if (slot == FlowIndex::none) return SimTime{0};
  Flow& own = flows_[slot];
  advance(own, now);
  const SimTime paced = transfer_time(Bytes{own.sent_bytes}, BitRate{own.rate});
  const SimTime next = own.sent_at + std::max(own.line, paced);
  return next <= now ? next : std::min(next, own.increase_at);
}

void DcqcnRates::sent(std::uint64_t flow, SimTime at, std::uint32_t bytes, SimTime line) {
  const std::uint32_t slot = index_.find(flow);
  if (slot == FlowIndex::none) return;
  Flow& own = flows_[slot];
  advance(own, at);
  own.sent_at = at, own.line = line, own.sent_bytes = bytes;
  if (spec_->increase_bytes.value == 0 || own.increase_at == time_never) return;
  own.bytes += bytes;
  while (own.bytes >= spec_->increase_bytes.value) {
    own.bytes -= spec_->increase_bytes.value;
    ++own.byte_steps;
    step(own);
  }
}

BitRate DcqcnRates::rate_of(std::uint64_t flow, SimTime now) {
  const std::uint32_t slot = index_.find(flow);
  if (slot == FlowIndex::none) return BitRate{line_};
  advance(flows_[slot], now);
  return BitRate{flows_[slot].rate};
}

/// The timers that have ended by `now`, in their order; of those that end at once the estimate's first, then
/// that of the decrease.
void DcqcnRates::advance(Flow& flow, SimTime now) const {
  for (;;) {
    const SimTime at = std::min({flow.alpha_at, flow.decrease_at, flow.increase_at});
    if (at > now) return;
    if (flow.alpha_at == at) {
      renew(flow, now);
    } else if (flow.decrease_at == at) {
      if (flow.is_noticed_for_rate != 0) {
        cut(flow);
        flow.increase_at = at + spec_->increase_timer;
        flow.decrease_at = at + spec_->decrease_timer;
      } else {
        flow.decrease_at = first_after(at, spec_->decrease_timer, now);  // nothing comes before `now`
      }
    } else {
      ++flow.time_steps;
      step(flow);
      // At the line's rate steps are only counted, and no more of them than tell.
      const bool is_full = flow.rate == line_ && flow.target == line_ && flow.time_steps > 1024;
      flow.increase_at = is_full ? first_after(at, spec_->increase_timer, now) : at + spec_->increase_timer;
    }
  }
}

void DcqcnRates::renew(Flow& flow, SimTime now) const {
  constexpr std::int64_t one = std::int64_t{1} << alpha_bits;
  flow.alpha -= (flow.alpha * gain_ + one - 1) / one;  // rounded up, so that it comes to 0
  if (flow.is_noticed_for_alpha != 0) flow.alpha += gain_;
  flow.is_noticed_for_alpha = 0;
  flow.alpha_at = flow.alpha == 0 ? first_after(flow.alpha_at, spec_->alpha_timer, now)
                                  : flow.alpha_at + spec_->alpha_timer;
}

void DcqcnRates::cut(Flow& flow) const {
  if (spec_->clamps || flow.time_steps > 0 || flow.byte_steps > 0) flow.target = flow.rate;
  const auto off = static_cast<std::int64_t>(static_cast<Wide>(flow.rate) * flow.alpha >> (alpha_bits + 1));
  flow.rate = std::max(flow.rate - off, spec_->least.value);
  flow.time_steps = flow.byte_steps = 0;
  flow.bytes = 0;
  flow.is_noticed_for_rate = 0;
}

void DcqcnRates::step(Flow& flow) const {
  const bool has_bytes = spec_->increase_bytes.value > 0;
  const std::uint32_t most = std::max(flow.time_steps, flow.byte_steps);
  const std::uint32_t least = has_bytes ? std::min(flow.time_steps, flow.byte_steps) : flow.time_steps;
  if (most > spec_->fast_steps) {
    const BitRate more = least > spec_->fast_steps + 1 ? spec_->hyper : spec_->additive;
    flow.target = std::min(flow.target + more.value, line_);
  }
  flow.rate = (flow.rate + flow.target + 1) / 2;  // rounded up, so that it comes to the target
}

void DcqcnRates::save(StateWriter& out) const {
  index_.save(out);
  out.put(flows_);
}

void DcqcnRates::load(StateReader& in) {
  index_.load(in);
  in.get(flows_);
}

}  // namespace lightrail

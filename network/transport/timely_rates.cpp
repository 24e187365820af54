#include "network/transport/timely_rates.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/wide.hpp"

namespace lightrail {

TimelyRates::TimelyRates(const TimelySpec& spec, BitRate line, const RepairSender& sender)
    : spec_(&spec),
      average_(std::llround(std::ldexp(spec.average, bits))),
      decrease_(std::llround(std::ldexp(spec.decrease, bits))),
      rates_(line, spec.least, spec.round_trip, sender) {}

void TimelyRates::sent(std::uint64_t flow, SimTime at, std::uint32_t bytes, SimTime line) {
  if (rates_.sent(flow, at, bytes, line)) states_.emplace_back();
}

void TimelyRates::acknowledged(std::uint64_t flow, std::int64_t bytes, std::optional<SimTime> round_trip,
                               bool, SimTime) {
  const std::uint32_t place = rates_.find(flow);
  if (place == FlowRates::none) return;
  rates_.acknowledged(place, bytes);
  State& state = states_[place];
  if (!round_trip || rates_.acknowledged_bytes(place) <= state.round_end) return;
  if (state.round_end > 0) change(place, state, *round_trip);
  state.last = *round_trip;
  state.round_end = rates_.sent_bytes(place);
}

std::optional<std::int64_t> TimelyRates::cut(const State& state, SimTime round_trip) const {
  if (round_trip < spec_->low) return std::nullopt;
  if (round_trip > spec_->high)
    return product_over(decrease_, (round_trip - spec_->high).count(), round_trip.count());
  if (state.difference <= SimTime{0}) return std::nullopt;
  return std::min(product_over(decrease_, state.difference.count(), spec_->least_rtt.count()), one);
}

void TimelyRates::change(std::uint32_t place, State& state, SimTime round_trip) {
  state.difference +=
      SimTime{product_over((round_trip - state.last - state.difference).count(), average_, one)};
  const std::int64_t rate = rates_.rate(place).value;
  if (const auto off = cut(state, round_trip)) {
    rates_.set_rate(place, rate - product_over(rate, *off, one));
    state.steps = 0;
    return;
  }
  rates_.set_rate(place, rate + (state.steps < spec_->hyper_after ? spec_->additive : spec_->hyper).value);
  ++state.steps;
}

}  // namespace lightrail

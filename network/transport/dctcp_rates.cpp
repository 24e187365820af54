#include "network/transport/dctcp_rates.hpp"

#include <cmath>

#include "engine/base/wide.hpp"

namespace lightrail {

DctcpRates::DctcpRates(const DctcpSpec& spec, BitRate line, const RepairSender& sender)
    : spec_(&spec),
      gain_(std::llround(std::ldexp(spec.gain, bits))),
      rates_(line, spec.least, spec.round_trip, sender) {}

void DctcpRates::sent(std::uint64_t flow, SimTime at, std::uint32_t bytes, SimTime line) {
  if (rates_.sent(flow, at, bytes, line)) states_.emplace_back();
}

/// Whether what has come ends the round trip; then the next one begins.
bool DctcpRates::ends_round(std::uint32_t place, State& state) const {
  if (rates_.acknowledged_bytes(place) <= state.round_end) return false;
  if (state.round_end > 0) {
    const auto share = static_cast<std::int64_t>(static_cast<Wide>(state.marked) * one / state.came);
    state.estimate += static_cast<std::int64_t>(static_cast<Wide>(share - state.estimate) * gain_ >> bits);
    state.came = state.marked = 0;
  }
  state.round_end = rates_.sent_bytes(place);
  return true;
}

void DctcpRates::hear(std::uint32_t place, std::int64_t bytes, bool is_marked) {
  State& state = states_[place];
  state.came += bytes;
  if (is_marked) state.marked += bytes;
  const bool is_round = ends_round(place, state);
  if (rates_.acknowledged_bytes(place) > state.cut_end) state.cut_end = -1;
  if (is_marked && state.cut_end < 0) {
    const std::int64_t rate = rates_.rate(place).value;
    rates_.set_rate(place,
                    rate - static_cast<std::int64_t>(static_cast<Wide>(rate) * state.estimate >> (bits + 1)));
    state.cut_end = rates_.sent_bytes(place);
  }
  if (is_round && state.cut_end < 0) rates_.set_rate(place, rates_.rate(place).value + spec_->additive.value);
}

void DctcpRates::acknowledged(std::uint64_t flow, std::int64_t bytes, std::optional<SimTime>, bool is_marked,
                              SimTime) {
  const std::uint32_t place = rates_.find(flow);
  if (place == FlowRates::none) return;
  rates_.acknowledged(place, bytes);
  hear(place, bytes, is_marked);
}

/// A packet whose payload was cut off met a longer queue than a marked one.
void DctcpRates::trimmed(std::uint64_t flow, std::int64_t bytes, SimTime) {
  if (const std::uint32_t place = rates_.find(flow); place != FlowRates::none) hear(place, bytes, true);
}

}  // namespace lightrail

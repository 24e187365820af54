#include "network/transport/flow_rates.hpp"

#include <algorithm>

#include "engine/base/bytes_in.hpp"
#include "engine/base/transfer_time.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {

FlowRates::FlowRates(BitRate line, BitRate least, SimTime round_trip, const RepairSender& sender)
    : line_(line.value),
      least_(std::min(least.value, line.value)),
      window_(bytes_in(round_trip, line)),
      sender_(&sender) {}

std::int64_t FlowRates::window_of(std::uint32_t place) const {
  if (window_ == 0) return 0;
  return std::max<std::int64_t>(product_over(window_, flows_[place].rate, line_), 1);
}

/// Where the window is full until something is acknowledged or given up: who hears of that asks again.
SimTime FlowRates::next_start(std::uint64_t flow) const {
  const std::uint32_t place = find(flow);
  if (place == none) return SimTime{0};
  if (!sender_->may_send(flow)) return time_never;
  if (window_ > 0 && sender_->in_flight(flow) >= window_of(place)) return time_never;
  const Flow& own = flows_[place];
  const SimTime paced = transfer_time(Bytes{own.train_bytes}, BitRate{own.rate});
  return own.sent_at + std::max(own.line, paced);
}

bool FlowRates::sent(std::uint64_t flow, SimTime at, std::uint32_t bytes, SimTime line) {
  std::uint32_t place = find(flow);
  const bool is_new = place == none;
  if (is_new) {
    place = static_cast<std::uint32_t>(flows_.size());
    index_.insert(flow, place);
    flows_.push_back({.key = flow, .rate = line_});
  }
  Flow& own = flows_[place];
  own.sent_at = at, own.line = line, own.train_bytes = bytes;
  return is_new;
}

void FlowRates::set_rate(std::uint32_t place, std::int64_t bits_per_second) {
  flows_[place].rate = std::clamp(bits_per_second, least_, line_);
}

}  // namespace lightrail

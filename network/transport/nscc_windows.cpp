#include "network/transport/nscc_windows.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/bytes_in.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {
namespace {

constexpr int bits = 16;
constexpr std::int64_t one = std::int64_t{1} << bits;
/// What constants are given for: 100 Gb/s and 12 us.
constexpr SimTime reference_rtt = microseconds(12);
constexpr std::int64_t reference_bytes = 150'000;
/// Of fast increase.
constexpr SimTime no_delay = microseconds(1);
/// Packets that are acknowledged between two times that growth is applied.
constexpr std::int64_t growth_packets = 8;

std::int64_t fixed(double value) {
  return std::llround(std::ldexp(value, bits));
}

}  // namespace

NsccWindows::NsccWindows(const NsccSpec& spec, BitRate line, std::uint32_t mtu_bytes,
                         std::uint32_t train_bytes, const RepairSender& sender)
    : spec_(&spec),
      sender_(&sender),
      line_(line.value),
      mtu_bytes_(mtu_bytes),
      least_(train_bytes),
      target_(spec.target_delay()),
      line_bytes_(round_trip_bytes(spec.base_rtt)),
      proportional_(fixed(spec.proportional)),
      fair_(fixed(spec.fair)),
      steady_(fixed(spec.steady)),
      gamma_(fixed(spec.decrease)),
      gain_(std::max(fixed(spec.delay_gain), std::int64_t{1})),
      max_window_(fixed(spec.window)) {}

std::int64_t NsccWindows::round_trip_bytes(SimTime round_trip) const {
  return bytes_in(round_trip, BitRate{line_});
}

std::int64_t NsccWindows::largest_trains(const NsccSpec& spec, BitRate line, std::uint32_t train_bytes) {
  const std::int64_t bytes = bytes_in(spec.base_rtt, line);
  return std::max(product_over(fixed(spec.window), bytes, one) / train_bytes, std::int64_t{1});
}

/// `constant` packets, scaled by a.
std::int64_t NsccWindows::scaled(std::int64_t constant, std::int64_t bytes) const {
  return static_cast<std::int64_t>(
      static_cast<Wide>(constant) * mtu_bytes_ * line_bytes_ / reference_bytes * bytes >> bits);
}

NsccWindows::Flow* NsccWindows::find(std::uint64_t flow) {
  const std::uint32_t slot = index_.find(flow);
  return slot == FlowIndex::none ? nullptr : &flows_[slot];
}

/// Shut until something is acknowledged, trimmed or given up: who hears of that asks again.
SimTime NsccWindows::next_start(std::uint64_t flow, SimTime) {
  const std::int64_t on_the_way = sender_->in_flight(flow);
  if (on_the_way == 0) return SimTime{0};
  const Flow* own = find(flow);
  const bool is_open = (!own || on_the_way + least_ <= own->window) && sender_->may_send(flow);
  return is_open ? SimTime{0} : time_never;
}

void NsccWindows::sent(std::uint64_t flow, SimTime at, std::uint32_t, SimTime) {
  if (find(flow)) return;
  index_.insert(flow, static_cast<std::uint32_t>(flows_.size()));
  Flow own;
  own.base = spec_->base_rtt;
  own.largest = std::max(product_over(max_window_, round_trip_bytes(own.base), one), least_);
  own.window = own.largest;
  own.grown_at = at;
  flows_.push_back(own);
}

void NsccWindows::measure(Flow& flow, SimTime round_trip) const {
  if (round_trip >= flow.base) return;
  flow.base = std::max(round_trip, SimTime{1});
  flow.largest = std::max(product_over(max_window_, round_trip_bytes(flow.base), one), least_);
}

void NsccWindows::average(Flow& flow, SimTime delay, bool is_marked) const {
  const SimTime sample = !is_marked && delay > target_ ? flow.base / 4 : delay;
  flow.delay += SimTime{product_over((sample - flow.delay).count(), gain_, one)};
}

void NsccWindows::bound(Flow& flow) const {
  flow.window = std::clamp(flow.window, std::min(least_, flow.largest), flow.largest);
}

/// Whether the window has been adapted quickly, or what is on the way since is still passed over.
bool NsccWindows::adapts(Flow& flow, std::uint64_t key, bool is_trimmed, bool is_marked, SimTime delay,
                         SimTime now) const {
  bool is_done = false;
  if (flow.ignored < flow.to_ignore && is_marked) {
    is_done = true;
  } else if (now > flow.adapt_at) {
    const bool is_due = is_trimmed || flow.was_trimmed != 0 || delay > 4 * target_;
    if (flow.adapt_at > SimTime{0} && is_due && flow.came < flow.largest / spec_->adapt_share) {
      flow.window = std::max(flow.came, least_);
      flow.to_ignore = sender_->in_flight(key);
      flow.ignored = 0;
      flow.was_trimmed = 0;
      is_done = true;
    }
    flow.came = 0;
    flow.adapt_at = now + flow.base + target_;
  }
  if (is_done) flow.growth = flow.since_growth = 0;
  return is_done;
}

bool NsccWindows::grows_fast(Flow& flow, std::int64_t bytes, SimTime delay) const {
  if (delay >= no_delay) {
    flow.calm = 0;
    flow.is_fast = 0;
    return false;
  }
  flow.calm += bytes;
  if (flow.calm <= flow.window && flow.is_fast == 0) return false;
  flow.window += product_over(bytes, line_bytes_, 4 * reference_bytes);
  flow.is_fast = 1;
  return true;
}

void NsccWindows::grow_in_proportion(Flow& flow, std::int64_t bytes, SimTime delay) const {
  if (grows_fast(flow, bytes, delay)) return;
  // b (1 - d / target) = (target - d) / 12 us
  flow.growth += product_over(scaled(proportional_, bytes), (target_ - delay).count(), reference_rtt.count());
}

void NsccWindows::cut(Flow& flow, SimTime now) const {
  flow.is_fast = 0;
  flow.calm = 0;
  if (flow.delay <= target_ || now - flow.cut_at <= flow.base) return;
  const std::int64_t off = product_over(gamma_, (flow.delay - target_).count(), flow.delay.count());
  flow.window = product_over(flow.window, std::max(one - off, one / 2), one);
  flow.cut_at = now;
}

void NsccWindows::apply_growth(Flow& flow, SimTime now) const {
  flow.window += flow.growth / flow.window;
  if (now - flow.grown_at >= spec_->base_rtt) {
    flow.window += scaled(steady_, 1);
    flow.grown_at = now;
  }
  flow.growth = flow.since_growth = 0;
}

void NsccWindows::acknowledged(std::uint64_t flow, std::int64_t bytes, std::optional<SimTime> round_trip,
                               bool is_marked, SimTime now) {
  Flow* found = find(flow);
  if (!found) return;
  Flow& own = *found;
  own.came += bytes;
  own.since_growth += bytes;
  own.ignored += bytes;
  SimTime delay = own.delay;
  if (round_trip) {
    measure(own, *round_trip);
    delay = *round_trip - own.base;
    average(own, delay, is_marked);
  }
  if (adapts(own, flow, false, is_marked, delay, now)) return bound(own);
  if (is_marked && delay >= target_)
    cut(own, now);
  else if (!is_marked && delay >= target_)
    own.growth += scaled(fair_, bytes);
  else if (!is_marked)
    grow_in_proportion(own, bytes, delay);
  bound(own);
  if (own.since_growth > growth_packets * mtu_bytes_ || now - own.grown_at > spec_->base_rtt)
    apply_growth(own, now);
  bound(own);
}

/// A trimmed packet stands for a delay of a round trip.
void NsccWindows::trimmed(std::uint64_t flow, std::int64_t bytes, SimTime now) {
  Flow* own = find(flow);
  if (!own) return;
  own->ignored += bytes;
  average(*own, spec_->base_rtt, true);
  own->was_trimmed = 1;
  if (!adapts(*own, flow, true, true, SimTime{0}, now)) own->window -= bytes;
  bound(*own);
}

void NsccWindows::timed_out(std::uint64_t flow, std::int64_t bytes) {
  Flow* own = find(flow);
  if (!own) return;
  own->window -= bytes;
  bound(*own);
}

std::int64_t NsccWindows::window_of(std::uint64_t flow) const {
  const std::uint32_t slot = index_.find(flow);
  return slot == FlowIndex::none ? 0 : flows_[slot].window;
}

void NsccWindows::save(StateWriter& out) const {
  index_.save(out);
  out.put(flows_);
}

void NsccWindows::load(StateReader& in) {
  index_.load(in);
  in.get(flows_);
}

}  // namespace lightrail

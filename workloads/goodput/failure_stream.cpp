#include "workloads/goodput/failure_stream.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lightrail {
namespace {

constexpr std::uint32_t failure_purpose = 0x47500000, place_purpose = 0x47500001;
constexpr double ps_per_day = 8.64e16;

}  // namespace

FailureStream::FailureStream(const GoodputPlan& plan, std::uint32_t run)
    : draws_(plan.seed, ComponentId{run}, failure_purpose),
      places_(plan.seed, ComponentId{run}, place_purpose) {
  double sum = 0;
  for (const FailureCategory& category : plan.categories) {
    cumulative_.push_back(sum += category.per_day);
    servers_.push_back(category.servers);
  }
  if (sum > 0) mean_gap_ps_ = ps_per_day / sum;
  advance();
}

void FailureStream::advance() {
  if (mean_gap_ps_ <= 0 || at_ == time_never) {
    at_ = time_never;
    return;
  }
  const auto [gap, category] = draws_.two_uniform();
  const double wait = std::max(1.0, -mean_gap_ps_ * std::log1p(-gap));
  const bool is_beyond = wait >= static_cast<double>((time_never - at_).count());
  at_ = is_beyond ? time_never : at_ + SimTime{std::llround(wait)};
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), category * cumulative_.back());
  category_ = std::min(static_cast<std::size_t>(found - cumulative_.begin()), cumulative_.size() - 1);
  place_ = places_.uniform();
  more_places_.clear();
  for (std::uint32_t i = 1; i < servers_[category_]; ++i) more_places_.push_back(places_.uniform());
}

std::uint32_t FailureStream::which_of(std::uint32_t bound) const {
  return std::min(static_cast<std::uint32_t>(place_ * bound), bound - 1);
}

/// Every set of so many is as likely (Floyd): the i-th is drawn of those up to the last that may be in it,
/// and is that one if it is taken.
std::vector<std::uint32_t> FailureStream::servers_of(std::uint32_t bound) const {
  const std::uint32_t count = std::min(servers_[category_], bound);
  std::vector<std::uint32_t> taken;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t last = bound - count + i;
    const double place = i == 0 ? place_ : more_places_[i - 1];
    const std::uint32_t one = std::min(static_cast<std::uint32_t>(place * (last + 1)), last);
    taken.push_back(std::find(taken.begin(), taken.end(), one) == taken.end() ? one : last);
  }
  return taken;
}

}  // namespace lightrail

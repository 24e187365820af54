#include "workloads/goodput/closed_forms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "engine/base/error.hpp"
#include "workloads/goodput/checkpoint_cycle.hpp"

namespace lightrail {
namespace {

constexpr double seconds_per_day = 86'400;

double seconds(SimTime time) {
  return static_cast<double>(time.count()) * 1e-12;
}

SimTime time_of(double s) {
  return SimTime{std::max<std::int64_t>(1, std::llround(s * 1e12))};
}

}  // namespace

GoodputClosedForms::GoodputClosedForms(const GoodputPlan& plan) : plan_(plan) {
  LIGHTRAIL_EXPECT(plan.checkpoint && !plan.replicas);
  rate_per_s_ = plan.failures_per_day() / seconds_per_day;
  blocking_s_ = seconds(plan.checkpoint->blocking);
  if (rate_per_s_ <= 0) return;
  restart_survival_ = 0;
  for (const FailureCategory& category : plan.categories)
    restart_survival_ += category.per_day / plan.failures_per_day() *
                         std::exp(-rate_per_s_ * seconds(plan.restart_time(category)));
}

double GoodputClosedForms::rsc(double every_s) const {
  const double failing = rate_per_s_ * (plan_.mean_restart_s() + every_s / 2);
  return std::max(0.0, 1 - failing) / (1 + blocking_s_ / every_s);
}

double GoodputClosedForms::renewal(double every_s) const {
  const double write_s = seconds(plan_.checkpoint->write);
  const double segment_s = seconds(CheckpointCycle(*plan_.checkpoint, time_of(every_s)).segment());
  if (rate_per_s_ <= 0) return every_s / segment_s;
  return rate_per_s_ * every_s * restart_survival_ *
         std::exp(-rate_per_s_ * (every_s + blocking_s_ + write_s)) / -std::expm1(-rate_per_s_ * segment_s);
}

double GoodputClosedForms::young_s() const {
  if (rate_per_s_ <= 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(2 * blocking_s_ / rate_per_s_);
}

std::pair<double, double> GoodputClosedForms::best() const {
  // Golden-section search over the logarithm of the interval: renewal() has one maximum.
  constexpr double shrink = std::numbers::phi - 1;
  double low = std::log(seconds(plan_.step)),
         high = std::log(std::max(seconds(plan_.step), seconds(plan_.period)));
  while (high - low > 1e-3) {
    const double left = high - shrink * (high - low), right = low + shrink * (high - low);
    if (renewal(std::exp(left)) < renewal(std::exp(right)))
      low = left;
    else
      high = right;
  }
  const double every_s = std::exp((low + high) / 2);
  return {every_s, renewal(every_s)};
}

double copies_survive(std::uint32_t servers, std::uint32_t copies, std::uint32_t failed) {
  const auto log_choose = [](double n, double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  };
  const std::uint32_t groups = servers / copies;
  double sum = 0;
  for (std::uint32_t lost = 0; lost * copies <= failed && lost <= groups; ++lost) {
    const double gone = static_cast<double>(lost) * copies;
    const double term =
        log_choose(groups, lost) + log_choose(servers - gone, failed - gone) - log_choose(servers, failed);
    sum += (lost % 2 == 0 ? 1 : -1) * std::exp(term);
  }
  return std::clamp(sum, 0.0, 1.0);
}

}  // namespace lightrail

#pragma once
#include "workloads/goodput/goodput_plan.hpp"

namespace lightrail {

inline constexpr SimTime one_second = milliseconds(1000), one_minute = 60 * one_second,
                         one_day = 1440 * one_minute;

/// A job that fails `per_day` times a day, saves for `blocking` every `every` and restarts in 10 minutes.
[[nodiscard]] inline GoodputPlan small_job(double per_day, SimTime every, SimTime blocking) {
  GoodputPlan plan;
  plan.step = one_second;
  plan.period = 30 * one_day;
  plan.runs = 200;
  plan.categories = {{"any", per_day, 4 * one_minute, false}};
  plan.restart = {{}, one_minute, one_minute, 3 * one_minute, one_minute};
  plan.checkpoint = {every, blocking, {}, 1};
  return plan;
}

}  // namespace lightrail

#include "workloads/goodput/goodput_plan.hpp"

#include <algorithm>

#include "engine/base/error.hpp"

namespace lightrail {

double GoodputPlan::failures_per_day() const {
  double sum = 0;
  for (const FailureCategory& category : categories) sum += category.per_day;
  return sum;
}

SimTime GoodputPlan::restart_time(const FailureCategory& category) const {
  return category.detection + (category.replaces_server ? restart.replacement : SimTime{}) +
         restart.rendezvous + restart.initialisation + (memory ? memory->load : restart.load) +
         restart.warm_up;
}

double GoodputPlan::mean_restart_s() const {
  const double all = failures_per_day();
  double sum = 0;
  for (const FailureCategory& category : categories)
    sum += category.per_day * static_cast<double>(restart_time(category).count()) * 1e-12;
  return all > 0 ? sum / all : 0;
}

SimTime GoodputPlan::whole_steps(SimTime every) const {
  LIGHTRAIL_EXPECT(step > SimTime{0});
  return std::max<std::int64_t>(1, (every + step / 2) / step) * step;
}

}  // namespace lightrail

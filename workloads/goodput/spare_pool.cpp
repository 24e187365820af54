#include "workloads/goodput/spare_pool.hpp"

namespace lightrail {

SparePool::SparePool(const std::optional<SparesPlan>& plan)
    : plan_(plan), standing_by_(plan ? plan->servers : 0) {}

SimTime SparePool::replace(SimTime now) {
  if (!plan_) return now;
  for (; !repaired_.empty() && repaired_.front() <= now; repaired_.pop_front()) ++standing_by_;
  repaired_.push_back(plan_->repair > time_never - now ? time_never : now + plan_->repair);
  if (standing_by_ > 0) return --standing_by_, now;
  const SimTime first = repaired_.front();
  repaired_.pop_front();
  return first;
}

}  // namespace lightrail

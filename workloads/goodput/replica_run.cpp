#include "workloads/goodput/replica_run.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/wide.hpp"
#include "workloads/goodput/failure_stream.hpp"

namespace lightrail {
namespace {

class ReplicaRun {
 public:
  ReplicaRun(const GoodputPlan& plan, std::uint32_t run)
      : plan_(plan), replicas_(*plan.replicas), failures_(plan, run), returns_(replicas_.groups) {
    sample_.failures.resize(plan.categories.size());
  }

  GoodputSample play() && {
    while (now_ < plan_.period) {
      if (const std::uint32_t members = take_members(); members == 0)
        lose_all();
      else if (quorum_is_due_)
        agree();
      else
        train(members);
    }
    return std::move(sample_);
  }

 private:
  /// Fails the groups that were hit up to now, and counts those that take part from now on.
  std::uint32_t take_members() {
    while (failures_.at() <= now_) fail_next();
    const auto members = static_cast<std::uint32_t>(
        std::count_if(returns_.begin(), returns_.end(), [&](SimTime at) { return at <= now_; }));
    quorum_is_due_ = quorum_is_due_ || members != members_;
    return members_ = members;
  }

  /// Whether the group that the next failure hits took part.
  bool fail_next() {
    const SimTime at = failures_.at();
    SimTime& back = returns_[failures_.which_of(replicas_.groups)];
    const bool took_part = back <= now_;
    ++sample_.failures[failures_.category()];
    const SimTime away = plan_.restart_time(plan_.categories[failures_.category()]);
    back = away > time_never - at ? time_never : at + away;
    quorum_is_due_ = quorum_is_due_ || took_part;
    failures_.advance();
    return took_part;
  }

  void lose_all() {
    sample_[GoodputUse::lost] += std::exchange(sample_[GoodputUse::effective], {});
    pass(GoodputUse::degraded, *std::min_element(returns_.begin(), returns_.end()) - now_);
  }

  void agree() {
    quorum_is_due_ = false;
    pass(GoodputUse::rendezvous, replicas_.quorum);
  }

  /// Steps up to the next failure or return, or the one that a failure falls in.
  void train(std::uint32_t members) {
    const SimTime step = plan_.step, left = plan_.period - now_;
    SimTime first_return = time_never;
    for (const SimTime at : returns_)
      if (at > now_) first_return = std::min(first_return, at);
    const std::int64_t before_failure = (failures_.at() - now_) / step;
    const std::int64_t before_return = (first_return - now_ - SimTime{1}) / step + 1;
    const std::int64_t steps = std::min({before_failure, before_return, left / step});
    if (steps > 0) {
      sample_.attempted_steps += steps;
      commit(steps, members);
    } else if (step > left) {
      count_effective(left, members);
      now_ = plan_.period;
    } else {
      attempt(members);
    }
  }

  /// A step that failures fall in.
  void attempt(std::uint32_t members) {
    SimTime noticed{};
    bool counts = true;
    while (failures_.at() < now_ + plan_.step) {
      const SimTime at = failures_.at();
      if (!fail_next()) continue;
      counts = false;
      noticed = at > time_never - replicas_.heartbeat ? time_never : at + replicas_.heartbeat;
    }
    ++sample_.attempted_steps;
    if (counts) return commit(1, members);
    pass(GoodputUse::lost, plan_.step);
    pass(GoodputUse::detection, std::max(SimTime{}, noticed - now_));
  }

  void commit(std::int64_t steps, std::uint32_t members) {
    sample_.committed_steps += steps;
    count_effective(steps * plan_.step, members);
    now_ += steps * plan_.step;
  }

  void count_effective(SimTime time, std::uint32_t members) {
    const SimTime effective{static_cast<std::int64_t>(Wide{time.count()} * members / replicas_.groups)};
    sample_[GoodputUse::effective] += effective;
    sample_[GoodputUse::degraded] += time - effective;
  }

  void pass(GoodputUse use, SimTime time) {
    const SimTime passed = std::min(time, plan_.period - now_);
    sample_[use] += passed;
    now_ += passed;
  }

  const GoodputPlan& plan_;
  const ReplicaPlan& replicas_;
  FailureStream failures_;
  std::vector<SimTime> returns_;  ///< by group; not after now: it takes part
  std::uint32_t members_ = 0;
  bool quorum_is_due_ = false;
  SimTime now_{};
  GoodputSample sample_;
};

}  // namespace

GoodputSample play_replicas(const GoodputPlan& plan, std::uint32_t run) {
  LIGHTRAIL_EXPECT(plan.replicas && plan.replicas->groups > 0 && plan.step > SimTime{0});
  return ReplicaRun(plan, run).play();
}

}  // namespace lightrail

#include "workloads/goodput/training_run.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/goodput/checkpoint_cycle.hpp"
#include "workloads/goodput/failure_stream.hpp"
#include "workloads/goodput/kept_state.hpp"
#include "workloads/goodput/spare_pool.hpp"

namespace lightrail {
namespace {

class TrainingRun {
 public:
  TrainingRun(const GoodputPlan& plan, std::uint32_t run)
      : plan_(plan),
        // A job that saves nothing has one segment, which never ends.
        cycle_(plan.checkpoint.value_or(JobCheckpoint{}),
               plan.checkpoint ? plan.whole_steps(plan.checkpoint->every) : time_never),
        failures_(plan, run),
        spares_(plan.spares) {
    if (plan.memory) kept_.emplace(*plan.memory, plan.whole_steps(plan.checkpoint->every));
    sample_.failures.resize(plan.categories.size());
  }

  GoodputSample play() && {
    while (now_ < plan_.period) {
      train();
      while (now_ < plan_.period && !restart()) {
      }
    }
    return std::move(sample_);
  }

 private:
  /// Until the next failure or the end.
  void train() {
    const bool fails = failures_.at() < plan_.period;
    const SimTime end = fails ? failures_.at() : plan_.period;
    const CheckpointCycle::Progress progress = cycle_.after(end - now_);
    const SimTime kept = fails ? progress.committed : progress.work;
    sample_[GoodputUse::effective] += kept;
    sample_[GoodputUse::lost] += progress.work - kept;
    sample_[GoodputUse::checkpoint] += progress.stall;
    sample_[GoodputUse::saving] += progress.slowed;
    if (kept_ && fails) kept_->train(cycle_, end - now_);
    now_ = end;
  }

  /// From the failure that is now; false: another one comes before it is done.
  bool restart() {
    const FailureCategory& category = plan_.categories[failures_.category()];
    ++sample_.failures[failures_.category()];
    for (std::uint32_t i = 0; category.replaces_server && i < category.servers; ++i)
      server_is_there_ = std::max(server_is_there_, spares_.replace(now_));
    if (kept_) fall_back(category);
    failures_.advance();
    const RestartTimes& plan = plan_.restart;
    const SimTime load = kept_ && kept_->is_in_memory() ? plan_.memory->load : plan.load;
    return pass(GoodputUse::detection, category.detection) &&
           pass(GoodputUse::replacement,
                std::max(category.replaces_server ? plan.replacement : SimTime{}, server_is_there_ - now_)) &&
           pass(GoodputUse::rendezvous, plan.rendezvous) &&
           pass(GoodputUse::initialisation, plan.initialisation) && pass(GoodputUse::load, load) &&
           pass(GoodputUse::warm_up, plan.warm_up);
  }

  /// What servers that fail have kept is lost; where it was the last of it, so is what storage does not have.
  void fall_back(const FailureCategory& category) {
    if (category.replaces_server && kept_->lose(failures_.servers_of(plan_.memory->servers)))
      ++sample_.lost_groups;
    const SimTime undone = kept_->fall_back();
    sample_[GoodputUse::effective] -= undone;
    sample_[GoodputUse::lost] += undone;
  }

  /// Spends that time; false: a failure or the end came first.
  bool pass(GoodputUse use, SimTime time) {
    const SimTime end = std::min(failures_.at(), plan_.period);
    const bool is_done = time <= end - now_;
    const SimTime passed = is_done ? time : end - now_;
    sample_[use] += passed;
    now_ += passed;
    return is_done;
  }

  const GoodputPlan& plan_;
  CheckpointCycle cycle_;
  FailureStream failures_;
  SparePool spares_;
  std::optional<KeptState> kept_;  ///< none: checkpoints are in storage
  SimTime now_{}, server_is_there_{};
  GoodputSample sample_;
};

}  // namespace

GoodputSample play_training(const GoodputPlan& plan, std::uint32_t run) {
  LIGHTRAIL_EXPECT(!plan.replicas && plan.step > SimTime{0});
  return TrainingRun(plan, run).play();
}

}  // namespace lightrail

#include <fmt/format.h>

#include "components/gpu/execution/program_runner.hpp"
#include "components/gpu/transport/gpu_wakes.hpp"
#include "engine/base/error.hpp"

/// The part of ProgramRunner that follows the GPU's speed over time, and the watch over operations that
/// others no longer take part in.
namespace lightrail {
void ProgramRunner::keep_pace(Context& context) {
  if (paces_passed_ == pace_changes_.size() || pace_changes_[paces_passed_].at > context.now()) return;
  Interference interference = interference_;
  while (paces_passed_ < pace_changes_.size() && pace_changes_[paces_passed_].at <= context.now())
    interference.lost = pace_changes_[paces_passed_++].lost;
  set_interference(context, interference);
}

/// Asked for only where something waits: a change that nobody waits for must not prolong the run.
void ProgramRunner::ask_for_pace(Context& context) {
  if (paces_passed_ == pace_changes_.size() || paces_asked_ > paces_passed_) return;
  paces_asked_ = paces_passed_ + 1;
  context.wake(pace_changes_[paces_passed_].at, to_payload(PlainWake{.kind = GpuWake::pace}));
}

void ProgramRunner::check_timeout(const Context& context, const CommRun& run) const {
  // Where jobs are restarted on_watchdog() has looked.
  if (!health_ || restarts_ || !is_watched(program_->ops[run.op].kind)) return;
  const SimTime took = context.now() - run.start, most = health_->collective_timeout();
  if (took <= most) return;
  throw SimulationError(
      context.now(), model_.component_name(context.self()),
      fmt::format("{} took {}, more than <faults> 'collective-timeout' ({}): the watch over "
                  "collectives ends the job",
                  describe(run.op), format_time(took), format_time(most)));
}

}  // namespace lightrail

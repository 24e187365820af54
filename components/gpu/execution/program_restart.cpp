#include <algorithm>
#include <cstdint>
#include <optional>

#include "components/gpu/execution/program_runner.hpp"
#include "components/gpu/transport/gpu_wakes.hpp"

/// The part of ProgramRunner for jobs that are restarted: what the supervisor is told, and what it says.
namespace lightrail {

void ProgramRunner::report(Context& context, MessageKind kind, std::uint32_t iteration) const {
  const auto supervisor = static_cast<PortIndex>(context.port_count() - 1);
  context.send(supervisor, context.now(),
               to_payload(restart_control::Report{
                   .kind = kind, .attempt = static_cast<std::uint8_t>(attempt_), .iteration = iteration}));
}

void ProgramRunner::halt(Context& context, std::uint8_t attempt) {
  attempt_ = attempt;
  report(context, MessageKind::halted, iteration_);
  state_ = State::halted;
  comm_.drop_all();
  clock_.stop_all(context.now());
  exposed_.drop_all(context.now());
  for (Stream& s : streams_) s = Stream{};
  background_.clear(), reads_.clear();
  saves_ = {};
  interference_ = Interference{.lost = interference_.lost};
  ended_ = 0;
  turns_.assign(turns_.size(), 0);
  watch_at_ = time_never;
}

void ProgramRunner::resume(Context& context, GpuTransport& transport, const restart_control::Resume& order) {
  attempt_ = order.attempt;
  iteration_ = order.iteration;
  find_program();
  state_ = State::reading;
  for (std::uint32_t op = 0; order.reads != 0 && op < program_->ops.size(); ++op)
    if (program_->ops[op].restores) reads_.push_back(comm_.start(context, transport, op));
  if (reads_.empty()) on_loaded(context);
}

void ProgramRunner::end_read(Context& context, std::uint32_t slot) {
  const CommRun& run = comm_.run(slot);
  if (records_ops_) record_op(context, program_->ops[run.op].stream, run.op, run.start, context.now());
  comm_.release(slot);
  reads_.erase(std::find(reads_.begin(), reads_.end(), slot));
  if (reads_.empty()) on_loaded(context);
}

void ProgramRunner::on_loaded(Context& context) {
  report(context, MessageKind::loaded, iteration_);
  state_ = State::warming_up;
  context.wake(context.now() + restarts_->stages.warm_up,
               to_payload(PlainWake{.kind = GpuWake::back, .attempt = static_cast<std::uint8_t>(attempt_)}));
}

/// The time since the job was stopped belongs to no iteration.
void ProgramRunner::begin_again(Context& context, GpuTransport& transport) {
  report(context, MessageKind::back, iteration_);
  state_ = State::running;
  clock_.take(context.now());
  exposed_.drop_all(context.now());
  step_start_ = std::max(context.now(), start_);
  if (launches_) launches_->begin_again(context.now(), iteration_);
  schedule(context, transport);
}

void ProgramRunner::begin_save(std::uint32_t op) {
  if (!restarts_ || !saves_state(program_->ops[op])) return;
  const auto due = std::count_if(program_->ops.begin(), program_->ops.end(),
                                 [&](const Op& o) { return saves_state(o) && o.is_due(iteration_); });
  saves_.begin(op, iteration_, static_cast<std::uint32_t>(due));
}

void ProgramRunner::end_save(Context& context, std::uint32_t op) {
  if (!restarts_ || !saves_state(program_->ops[op])) return;
  if (const auto iteration = saves_.end(op)) report(context, MessageKind::saved, *iteration);
}

std::optional<SimTime> ProgramRunner::oldest_watched() const {
  std::optional<SimTime> oldest;
  for (const Stream& s : streams_) {
    if (!s.is_running || s.slot == CommEngine::no_slot) continue;
    const CommRun& run = comm_.run(s.slot);
    if (is_watched(program_->ops[run.op].kind)) oldest = std::min(oldest.value_or(run.start), run.start);
  }
  return oldest;
}

/// One timer at a time: when it ends it is set for what runs for longest then.
void ProgramRunner::watch(Context& context, const Op& op) {
  if (!restarts_ || watch_at_ != time_never || !is_watched(op.kind)) return;
  watch_at_ = context.now() + health_->collective_timeout();
  context.wake(watch_at_, to_payload(PlainWake{.kind = GpuWake::watchdog,
                                               .attempt = static_cast<std::uint8_t>(attempt_)}));
}

void ProgramRunner::on_watchdog(Context& context) {
  watch_at_ = time_never;
  const std::optional<SimTime> oldest = oldest_watched();
  if (!oldest) return context.count_as_idle();
  const SimTime due = *oldest + health_->collective_timeout();
  if (due > context.now()) {
    watch_at_ = due;
    return context.wake(due, to_payload(PlainWake{.kind = GpuWake::watchdog,
                                                  .attempt = static_cast<std::uint8_t>(attempt_)}));
  }
  const auto supervisor = static_cast<PortIndex>(context.port_count() - 1);
  context.send(supervisor, context.now(),
               to_payload(restart_control::Broken{.attempt = static_cast<std::uint8_t>(attempt_),
                                                  .why = restart_control::Break::timeout,
                                                  .gpu = self_}));
}

}  // namespace lightrail

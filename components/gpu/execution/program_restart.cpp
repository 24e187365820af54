#include <algorithm>
#include <cstdint>
#include <optional>

#include "components/gpu/execution/program_runner.hpp"
#include "components/gpu/transport/gpu_wakes.hpp"

/// The part of ProgramRunner for jobs that are restarted: what the supervisor is told, and what it says.
namespace lightrail {

void ProgramRunner::report(Context& context, MessageKind kind, std::uint32_t iteration,
                           bool in_memory) const {
  const auto supervisor = static_cast<PortIndex>(context.port_count() - 1);
  context.send(supervisor, context.now(),
               to_payload(restart_control::Report{.kind = kind,
                                                  .attempt = static_cast<std::uint8_t>(attempt_),
                                                  .in_memory = in_memory ? std::uint8_t{1} : std::uint8_t{0},
                                                  .iteration = iteration}));
}

void ProgramRunner::halt(Context& context, std::uint8_t attempt) {
  attempt_ = attempt;
  report(context, MessageKind::halted, iteration_);
  state_ = State::halted;
  comm_.drop_all();
  clock_.stop_all(context.now());
  exposed_.drop_all(context.now());
  for (Stream& s : streams_) s = Stream{};
  rewind();
  background_.clear();
  saves_ = memory_saves_ = {};
  interference_ = Interference{.lost = interference_.lost};
  watch_at_ = time_never;
}

void ProgramRunner::rewind() {
  for (Stream& s : streams_) s.ended = 0;
  open_.open_all();
  ended_ = first_left_ = kernel_left_ = 0;
  turns_.assign(turns_.size(), 0);
}

void ProgramRunner::resume(Context& context, GpuTransport& transport, const restart_control::Resume& order) {
  attempt_ = order.attempt;
  iteration_ = order.iteration;
  find_program();
  state_ = State::reading;
  source_ = static_cast<StateSource>(order.source);
  lost_memories_ = order.lost;
  if (std::any_of(program_->ops.begin(), program_->ops.end(), [&](const Op& op) { return restores(op); }))
    schedule(context, transport);
  else
    on_loaded(context);
}

bool ProgramRunner::restores(const Op& op) const {
  if (!op.restores || source_ == StateSource::beginning) return false;
  if (!is_in_memory(op.io)) return source_ == StateSource::storage;
  if (source_ != StateSource::memory) return false;
  const GroupView group = model_.resource<GroupTable>()->group_of(op.group, self_);
  return LostMemories{lost_memories_, group.size}.needs(op, group.my_index);
}

void ProgramRunner::on_loaded(Context& context) {
  report(context, MessageKind::loaded, iteration_);
  state_ = State::warming_up;
  rewind();
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
  const bool in_memory = is_in_memory(program_->ops[op].io);
  const auto due = std::count_if(program_->ops.begin(), program_->ops.end(), [&](const Op& o) {
    return saves_state(o) && is_in_memory(o.io) == in_memory && o.is_due(iteration_);
  });
  // What goes to memory is the state that the iteration before has left.
  log_of(program_->ops[op]).begin(op, iteration_ - (in_memory ? 1 : 0), static_cast<std::uint32_t>(due));
}

void ProgramRunner::end_save(Context& context, std::uint32_t op) {
  if (!restarts_ || !saves_state(program_->ops[op])) return;
  const Op& done = program_->ops[op];
  if (const auto iteration = log_of(done).end(op))
    report(context, MessageKind::saved, *iteration, is_in_memory(done.io));
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

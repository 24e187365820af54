#include "components/gpu/execution/program_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "components/gpu/tables.hpp"
#include "components/gpu/transport/gpu_wakes.hpp"
#include "network/port/tables.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/iterations.hpp"

namespace lightrail {
namespace {

const Program& program_of(const Model& model, EndpointId gpu) {
  static const Program empty;
  const auto* set = model.resource<ProgramSet>();
  return set && gpu.value < set->program_of_gpu.size() ? set->programs[set->program_of_gpu[gpu.value]]
                                                       : empty;
}

std::optional<BatchQueue> feed_of(const Model& model, EndpointId gpu, const ComputeSpec& spec) {
  const auto* plan = model.resource<ServingPlan>();
  if (!plan || !plan->serves(gpu)) return std::nullopt;
  const auto& set = *model.resource<ProgramSet>();
  return std::optional<BatchQueue>(std::in_place, *plan, set, set.program_of_gpu[gpu.value], spec);
}

BitRate max_traffic(const Model& model, EndpointId gpu, const ComputeSpec& spec) {
  const auto* formula = model.resource<FormulaDetail>();
  const BitRate* whole = formula ? formula->receive_rate(gpu) : nullptr;
  const BitRate rate = whole ? *whole : receive_rate_of(model, gpu);
  const double bits = spec.collective_memory * static_cast<double>(rate.value);
  return std::min(spec.memory_bandwidth, BitRate{static_cast<std::int64_t>(std::min(bits, 1e18))});
}

const ProgramIndex& index_of(const Model& model, EndpointId gpu) {
  return model.resource<ProgramIndexes>()->of[model.resource<ProgramSet>()->program_of_gpu[gpu.value]];
}

}  // namespace

ProgramRunner::ProgramRunner(const BuildContext& build, EndpointId self, std::shared_ptr<KernelTimes> times,
                             std::optional<LaunchServer> launches)
    : model_(build.model),
      set_(*build.model.resource<ProgramSet>()),
      batch_queue_(feed_of(build.model, self, times->spec())),
      program_(&(batch_queue_ ? batch_queue_->program() : program_of(build.model, self))),
      index_(index_of(build.model, self)),
      output_(build.model.resource<OutputSelection>()),
      self_(self),
      here_(EndpointId{build.record.number}),
      start_(set_.start_of(*program_)),
      iterations_(set_.iterations_of(*program_)),
      times_(std::move(times)),
      pace_(build.model, here_),
      health_(build.model.resource<HealthTable>()),
      restarts_(build.model.resource<RestartPlan>()),
      launches_(std::move(launches)),
      contention_(times_->spec().sms, times_->spec().memory_bandwidth,
                  max_traffic(build.model, self, times_->spec())),
      comm_(build.model, *program_, index_, self),
      streams_(program_->streams.size()),
      open_(streams_.size()),
      turns_(build.model.resource<GroupTable>()->kind_count()),
      records_ops_(output_ && output_->is_recorded(tables::ops, here_)),
      records_power_(output_ && output_->is_recorded(tables::power)),
      records_exposed_(!batch_queue_ && output_ && output_->is_recorded(tables::exposed)) {
  if (launches_ && records_ops_) launches_->record_launches();
  if (health_) pace_changes_ = health_->pace_changes(build.id);
  if (program_->steps_over()) steady_ = std::make_unique<SteadyStretch>(program_->stepped_over);
  if (set_.stepped_iterations.skipped > 0 && !program_->ops.empty())
    repeated_ = std::make_unique<IterationStretch>(set_.stepped_iterations);
}

std::uint32_t ProgramRunner::first_missing(std::uint32_t op) const {
  const Op& o = program_->ops[op];
  for (std::uint32_t d = 0; d < o.dependency_count; ++d) {
    const std::uint32_t on = program_->dependencies[o.first_dependency + d];
    if (!has_ended(on)) return on;
  }
  return none;
}

bool ProgramRunner::is_held(std::uint32_t op) const {
  return std::any_of(background_.begin(), background_.end(), [&](std::uint32_t slot) {
    const std::uint32_t running = comm_.run(slot).op;
    const Op& o = program_->ops[running];
    const auto first = program_->dependencies.begin() + o.first_dependency;
    return running == op || std::find(first, first + o.dependency_count, op) != first + o.dependency_count;
  });
}

bool ProgramRunner::can_start(std::uint32_t stream) {
  const Stream& s = streams_[stream];
  if (s.is_running || s.ended == index_.stream_ops[stream].size()) {
    open_.close(stream);
    return false;
  }
  const std::uint32_t index = op_index(stream);
  if (const std::uint32_t missing = first_missing(index); missing != none) {
    open_.close_until(stream, missing);
    return false;
  }
  const Op& op = program_->ops[index];
  if (op.kind == OpKind::collective && turns_[op.group.value] != index_.turn[index]) return false;
  if (!background_.empty() && is_io(op.kind) && is_due(op) && is_held(index)) return false;
  return op.io != IoMode::in_idle_time || op.kind != OpKind::send || !is_due(op) || !uses_network();
}

bool ProgramRunner::uses_network() const {
  return std::any_of(streams_.begin(), streams_.end(), [&](const Stream& s) {
    if (!s.is_running || s.slot == CommEngine::no_slot) return false;
    const Op& op = program_->ops[comm_.run(s.slot).op];
    return !is_in_memory(op.io) && comm_.leaves_server(op);
  });
}

void ProgramRunner::set_waiting(Context& context, Stream& s, bool is_waiting) {
  if (is_waiting == (s.is_waiting != 0)) return;
  s.is_waiting = is_waiting;
  clock_.wait_for_host(context.now(), is_waiting ? 1 : -1);
}

bool ProgramRunner::is_launched(Context& context, std::uint32_t stream) {
  if (!launches_) return true;
  Stream& s = streams_[stream];
  const std::uint32_t op = op_index(stream);
  const SimTime at = launches_->start_of(op);
  const bool is_launched = at <= context.now();
  set_waiting(context, s, !is_launched);
  if (is_launched)
    return !launches_->launches_in_order() || !launches_->has_work(op) || first_not_started() == op;
  if (at != time_never && at != s.launch_at) {
    s.launch_at = at;
    context.wake(
        at, to_payload(PlainWake{.kind = GpuWake::launched, .attempt = static_cast<std::uint8_t>(attempt_)}));
  }
  return false;
}

std::uint32_t ProgramRunner::first_not_started() const {
  std::uint32_t first = none;
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
    const Stream& s = streams_[stream];
    const std::uint32_t next = s.ended + (s.is_running ? s.length : 0);
    if (next == index_.stream_ops[stream].size()) continue;
    const std::uint32_t op = index_.stream_ops[stream][next];
    if (launches_->has_work(op)) first = std::min(first, op);
  }
  return first;
}

void ProgramRunner::start(Context& context, GpuTransport& transport) {
  if (std::none_of(program_->ops.begin(), program_->ops.end(), [&](const Op& op) {
        return comm_.has_exchange_partners(op) && transport.wants_demand(op.dimension);
      }))
    transport.announce_absence(context);
  keep_pace(context);
  const auto wake = [&](SimTime at) { context.wake(at, to_payload(PlainWake{.kind = GpuWake::launched})); };
  if (start_ > context.now()) wake(start_);
  if (pace_.start() > SimTime{0}) wake(start_ + pace_.start());
  schedule(context, transport);
}

void ProgramRunner::begin_job(Context& context) {
  clock_.take(context.now());
  static_cast<void>(exposed_.take(context.now()));
  step_start_ = start_;
}

/// Starts all that can start; an operation that takes no time may let others start, so until nothing changes.
void ProgramRunner::schedule(Context& context, GpuTransport& transport) {
  const bool is_reading = state_ == State::reading;
  if (program_->ops.empty() || context.now() < start_ || (state_ != State::running && !is_reading)) return;
  if (step_start_ < start_) begin_job(context);
  if (attempt_ == 0 && context.now() < start_ + pace_.start()) return;
  if (stands_still()) return ask_for_pace(context);
  while (has_work() || is_reading) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t stream = open_.next(0); stream != OpenStreams::none; stream = open_.next(stream + 1))
        while (can_start(stream) && (is_reading || is_launched(context, stream))) {
          const bool runs = start_op(context, transport, stream);
          changed |= !runs || (launches_ && launches_->launches_in_order());
          if (runs) break;
        }
    }
    if (ended_ < program_->ops.size()) return count_time(context);
    if (is_reading) return on_loaded(context);
    end_iteration(context, transport);
  }
}

bool ProgramRunner::start_op(Context& context, GpuTransport& transport, std::uint32_t stream) {
  Stream& s = streams_[stream];
  const std::uint32_t index = op_index(stream);
  const Op& op = program_->ops[index];
  s.start = s.since = context.now();
  s.done = s.held = SimTime{0};
  s.is_running = 1;
  s.is_chain = s.kernel = 0;
  s.length = 1;
  s.slot = CommEngine::no_slot;
  count(context, op, 1);
  SimTime duration{0};
  // The batch of inference may leave nothing to send, for every member alike.
  const bool is_empty = batch_queue_ && op.kind != OpKind::compute && op.bytes == 0;
  if (!is_due(op) || is_empty) {
    // Ends as it begins.
  } else if (is_in_background(op.io)) {
    begin_save(index);
    background_.push_back(comm_.start(context, transport, index, iteration_));
    if (op.io == IoMode::thread && launches_) share_interpreter(context, true);
  } else if (is_communication(op.kind)) {
    begin_save(index);
    s.slot = comm_.start(context, transport, index, iteration_);
    if (s.slot != CommEngine::no_slot) {
      s.interference = interference_of(op, s.slot);
      set_interference(context, interference_ + s.interference);
      watch(context, op);
      return true;
    }
  } else if (is_timed_from_shape(op)) {
    s.is_chain = 1;
    duration = begin_chain(stream) - context.now();
  } else if (op.kind == OpKind::compute && !pace_changes_.empty()) {
    s.is_chain = 1;
    duration = chain_end(stream) - context.now();
  } else if (op.kind == OpKind::compute) {
    duration = cost_of(index).time;
  } else if (op.kind != OpKind::marker) {
    duration = op.duration;
  }
  if (duration == SimTime{0}) {
    end_op(context, stream);
    if (steady_ && steady_->is_marker(index)) pass_marker(context, transport, index);
    return false;
  }
  set_end(context, stream, context.now() + duration);
  return true;
}

void ProgramRunner::count(Context& context, const Op& op, int change) {
  if (op.kind == OpKind::compute) clock_.kernel(context.now(), change);
  if (is_communication(op.kind)) clock_.communication(context.now(), change);
}

void ProgramRunner::end_op(Context& context, std::uint32_t stream) {
  Stream& s = streams_[stream];
  const std::uint32_t index = op_index(stream);
  const Op& op = program_->ops[index];
  count(context, op, -1);
  set_interference(context, interference_ - std::exchange(s.interference, Interference{}));
  if (op.kind == OpKind::collective) ++turns_[op.group.value];
  const bool has_row = is_due(op) && !is_in_background(op.io);
  if (has_row && (records_ops_ || records_power_ || launches_)) end_rows(context, stream);
  count_held(context, s);
  for (std::uint32_t k = 0; k < s.length; ++k) open_.on_end(chain(stream)[k]);
  open_.open(stream);
  s.ended += s.length, ended_ += s.length;
  s.is_running = 0;
  if (launches_ && state_ != State::reading)
    launches_->pass_waits(context.now(), [this](std::uint32_t awaited) { return has_ended(awaited); });
}

void ProgramRunner::on_op_end(Context& context, GpuTransport& transport, std::uint32_t op,
                              std::uint32_t setting) {
  const std::uint32_t stream = program_->ops[op].stream;
  // An end that was set before communication began or ended, which set another.
  if (!streams_[stream].is_running || op_index(stream) != op || streams_[stream].setting != setting) return;
  end_op(context, stream);
  schedule(context, transport);
}

void ProgramRunner::on_timer(Context& context, GpuTransport& transport, Owner owner) {
  // Of a write in a thread of this process: it is planned and serialised.
  const bool has_written = launches_ && program_->ops[comm_.run(owner.slot).op].io == IoMode::thread;
  if (has_written) share_interpreter(context, false);
  if (comm_.on_timer(context, transport, owner)) return complete(context, transport, owner.slot);
  if (has_written) schedule(context, transport);
}

void ProgramRunner::on_received(Context& context, GpuTransport& transport, Owner owner) {
  if (batch_queue_ && on_served(context, owner)) return;
  if (comm_.on_received(context, transport, owner)) complete(context, transport, owner.slot);
}

void ProgramRunner::on_end(Context& context, GpuTransport& transport, const MessageEnd& end) {
  if (comm_.on_end(context, transport, end)) complete(context, transport, end.owner.slot);
}

void ProgramRunner::on_met(Context& context, GpuTransport& transport, const meeting::Met& met) {
  comm_.on_met(met.slot);
  complete(context, transport, met.slot, met.partner_at);
}

void ProgramRunner::complete(Context& context, GpuTransport& transport, std::uint32_t slot,
                             SimTime partner_at) {
  const CommRun& run = comm_.run(slot);
  const std::uint32_t stream = program_->ops[run.op].stream;
  end_save(context, run.op);
  if (is_in_background(program_->ops[run.op].io)) {
    if (records_ops_) record_op(context, stream, run.op, run.start, context.now());
    background_.erase(std::find(background_.begin(), background_.end(), slot));
    comm_.release(slot);
    return schedule(context, transport);
  }
  check_timeout(context, run);
  if (program_->ops[run.op].kind == OpKind::collective) {
    transport.end_collective(context, slot);
    record_collective(context, run);
  }
  settle(context, slot, std::max(partner_at, transport.take_first_sign(slot)));
  const std::uint32_t op = run.op;
  comm_.release(slot);
  comm_.announce_next(context, transport, op);
  end_op(context, stream);
  schedule(context, transport);
}

void ProgramRunner::record_collective(Context& context, const CommRun& run) {
  if (!output_ || !output_->is_recorded(tables::collectives, here_)) return;
  const Op& op = program_->ops[run.op];
  const std::array<std::int64_t, 8> row{here_.value,
                                        op.group.value,
                                        static_cast<std::int64_t>(op.collective),
                                        static_cast<std::int64_t>(run.algorithm),
                                        static_cast<std::int64_t>(run.protocol),
                                        op.bytes,
                                        run.start.count(),
                                        context.now().count()};
  context.record_at(run.start, tables::collectives, row);
}

void ProgramRunner::end_iteration(Context& context, const GpuTransport& transport) {
  const StepClock::Totals split = clock_.take(context.now());
  if (launches_) launches_->end_iteration(iteration_);
  ++iteration_;
  rewind();
  if (program_->next != itself) go_on_with(set_.programs[program_->next]);
  if (batch_queue_)
    return context.send(GpuPort::scheduler, context.now(),
                        to_payload(serving_control::BatchDone{.number = batch_queue_->end()}));
  if (restarts_ && iteration_ == iterations_) report(context, MessageKind::ended, iteration_ - 1);
  StepRecord step{step_start_, context.now(), split, {}, step_start_, attempt_};
  if (records_exposed_) step.uses = exposed_.take(context.now());
  if (steady_ || repeated_)
    keep_step(context, transport, std::move(step));
  else
    record_step(context, iteration_ - 1, step);
  step_start_ = context.now();
}

void ProgramRunner::find_program() {
  if (!batch_queue_ && self_.value < set_.program_of_gpu.size())
    go_on_with(set_.programs[program_in(set_, set_.program_of_gpu[self_.value], iteration_)]);
}

void ProgramRunner::go_on_with(const Program& program) {
  program_ = &program;
  comm_.go_on_with(program);
}

void ProgramRunner::save(StateWriter& out) const {
  if (batch_queue_) batch_queue_->save(out);
  if (launches_) launches_->save(out);
  if (steady_) steady_->save(out);
  if (repeated_) repeated_->save(out);
  comm_.save(out), clock_.save(out), exposed_.save(out);
  out.put(streams_), open_.save(out), out.put(background_), out.put(turns_), out.put(step_start_),
      out.put(iteration_), out.put(ended_), out.put(first_left_), out.put(kernel_left_),
      out.put(interference_), out.put(paces_passed_), out.put(paces_asked_);
  out.put(state_), out.put(attempt_), out.put(source_), out.put(lost_memories_), out.put(watch_at_);
  saves_.save(out), memory_saves_.save(out);
}

void ProgramRunner::load(StateReader& in) {
  if (batch_queue_) batch_queue_->load(in);
  if (launches_) launches_->load(in);
  if (steady_) steady_->load(in);
  if (repeated_) repeated_->load(in);
  comm_.load(in), clock_.load(in), exposed_.load(in);
  in.get(streams_), open_.load(in), in.get(background_), in.get(turns_), in.get(step_start_),
      in.get(iteration_), in.get(ended_), in.get(first_left_), in.get(kernel_left_), in.get(interference_),
      in.get(paces_passed_), in.get(paces_asked_);
  in.get(state_), in.get(attempt_), in.get(source_), in.get(lost_memories_), in.get(watch_at_);
  saves_.load(in), memory_saves_.load(in);
  find_program();
}

}  // namespace lightrail

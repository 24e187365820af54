#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "components/gpu/execution/program_runner.hpp"
#include "components/gpu/tables.hpp"
#include "components/gpu/transport/gpu_wakes.hpp"
#include "workloads/program/groups.hpp"

/// The part of ProgramRunner that times kernels: chains of them, what communication takes from them, their
/// rows and energy.
namespace lightrail {
namespace {

constexpr std::uint16_t no_dimension = 0xffff;

}  // namespace

KernelCost ProgramRunner::cost_of(std::uint32_t op) {
  const Op& o = program_->ops[op];
  KernelCost cost = o.duration != SimTime{0} ? KernelCost{o.duration, Bound::fixed}
                    : batch_queue_           ? batch_queue_->cost_of(o.shape)
                                             : times_->of(o.shape);
  if (o.duration == SimTime{0} && o.split != 0)
    cost.time = nanoseconds(
        std::max<std::int64_t>(1, std::llround(static_cast<double>(cost.time.count()) * load_of(o) * 1e-3)));
  if (launches_ && launches_->has_work(op)) cost.time += launches_->kernels(op) * launches_->gap();
  if (cost.time != SimTime{0})
    cost.time = pace_.of(cost.time, iteration_ * std::uint64_t{program_->ops.size()} + op);
  return cost;
}

SimTime ProgramRunner::chain_end(std::uint32_t stream) {
  if (stands_still()) return time_never;
  const Stream& s = streams_[stream];
  const std::uint32_t* ops = chain(stream);
  SimTime end = kernel_end(stream, cost_of(ops[s.kernel]), interference_);
  for (std::uint32_t k = s.kernel + 1; k < s.length; ++k) end = end_behind(ops[k], end);
  return end;
}

SimTime ProgramRunner::end_behind(std::uint32_t op, SimTime end) {
  const KernelCost cost = cost_of(op);
  end = start_behind(op, end) + contention_.time_of(cost.time, cost.bound, interference_);
  return launches_ ? std::max(end, last_kernel_end(op, cost)) : end;
}

SimTime ProgramRunner::begin_chain(std::uint32_t stream) {
  Stream& s = streams_[stream];
  const std::uint32_t* ops = chain(stream);
  if (!launches_) {
    s.length = index_.chain[ops[0]];
    return chain_end(stream);
  }
  const std::uint32_t most = launches_->launches_in_order() ? 1 : launches_->chain(ops[0]);
  SimTime end = kernel_end(stream, cost_of(ops[0]), interference_);
  for (s.length = 1; s.length < most && launches_->start_of(ops[s.length]) <= end; ++s.length)
    end = end_behind(ops[s.length], end);
  return end;
}

void ProgramRunner::set_end(Context& context, std::uint32_t stream, SimTime end) {
  const std::uint32_t setting = ++streams_[stream].setting;
  if (paces_passed_ < pace_changes_.size() && end > pace_changes_[paces_passed_].at) ask_for_pace(context);
  if (end != time_never)
    context.wake(end, to_payload(OpEndWake{.attempt = static_cast<std::uint8_t>(attempt_),
                                           .op = op_index(stream),
                                           .setting = setting}));
}

Interference ProgramRunner::interference_of(const Op& op, std::uint32_t slot) const {
  const ComputeSpec& gpu = times_->spec();
  if (op.kind == OpKind::recv) return {gpu.point_sms, 0};
  if (op.kind != OpKind::send && op.kind != OpKind::collective) return {};
  // A collective writes what comes in and reads what it passes on, a send reads.
  const bool is_send = op.kind == OpKind::send;
  const double traffic =
      (is_send ? 0.5 : 1.0) * gpu.collective_memory * static_cast<double>(comm_.rate(slot).value);
  const std::uint32_t own = is_send ? 0 : comm_.sms(slot);
  return {is_send   ? gpu.point_sms
          : own > 0 ? own
                    : gpu.collective_sms,
          static_cast<std::int64_t>(std::min(traffic, static_cast<double>(gpu.memory_bandwidth.value)))};
}

double ProgramRunner::load_of(const Op& op) const {
  const std::uint32_t me = model_.resource<GroupTable>()->group_of(op.group, self_).my_index;
  const SplitMatrix& split = set_.splits[op.split];
  double load = 0;
  for (std::uint32_t from = 0; from < split.size; ++from)
    load += split.share[std::size_t{from} * split.size + me];
  return load;
}

void ProgramRunner::set_interference(Context& context, const Interference& interference) {
  if (interference == interference_) return;
  const Interference before = std::exchange(interference_, interference);
  if (!clock_.is_computing()) return;
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
    if (!streams_[stream].is_running || !streams_[stream].is_chain) continue;
    advance(context, stream, before);
    set_end(context, stream, chain_end(stream));
  }
}

void ProgramRunner::share_interpreter(Context& context, bool begins) {
  const auto runs_chain = [&](std::uint32_t stream) {
    return streams_[stream].is_running != 0 && streams_[stream].is_chain != 0;
  };
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream)
    if (runs_chain(stream)) advance(context, stream, interference_);
  if (begins)
    launches_->share_interpreter(context.now());
  else
    launches_->regain_interpreter(context.now());
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
    if (!runs_chain(stream)) continue;
    Stream& s = streams_[stream];
    while (begins && s.length > s.kernel + 1 &&
           launches_->start_of(chain(stream)[s.length - 1]) > context.now())
      --s.length;
    set_end(context, stream, chain_end(stream));
  }
}

/// Of an operation that runs: is it a kernel that is not bound by memory?
bool ProgramRunner::is_computing(const Stream& s, std::uint32_t op) {
  return program_->ops[op].kind == OpKind::compute && (!s.is_chain || cost_of(op).bound != Bound::memory);
}

void ProgramRunner::end_row(Context& context, std::uint32_t stream, SimTime end, SimTime held) {
  const Stream& s = streams_[stream];
  const std::uint32_t op = chain(stream)[s.kernel];
  if (records_ops_) record_op(context, stream, op, s.start, end);
  if (records_power_ && is_computing(s, op)) clock_.computed(end - s.start - held);
}

void ProgramRunner::next_kernel(Context& context, std::uint32_t stream, SimTime end, const KernelCost& cost,
                                const Interference& interference) {
  Stream& s = streams_[stream];
  const SimTime held = held_until(stream, end, cost, interference);
  s.held += held;
  end_row(context, stream, end, held);
  ++s.kernel;
  s.start = s.since = start_behind(chain(stream)[s.kernel], end);
  s.done = SimTime{0};
}

void ProgramRunner::advance(Context& context, std::uint32_t stream, const Interference& interference) {
  Stream& s = streams_[stream];
  if (interference.stops_all()) {
    s.since = std::max(s.since, context.now());
    return;
  }
  const std::uint32_t last = s.length - 1;
  KernelCost cost = cost_of(chain(stream)[s.kernel]);
  for (SimTime end = kernel_end(stream, cost, interference); s.kernel < last && end <= context.now();
       end = kernel_end(stream, cost, interference)) {
    next_kernel(context, stream, end, cost, interference);
    cost = cost_of(chain(stream)[s.kernel]);
  }
  if (context.now() <= s.since) return;  // not launched yet
  s.held += held_until(stream, context.now(), cost, interference);
  // The last one's end is the chain's, which another event tells.
  s.done =
      std::min(s.done + contention_.work_in(context.now() - s.since, cost.bound, interference), cost.time);
  s.since = context.now();
}

void ProgramRunner::end_rows(Context& context, std::uint32_t stream) {
  Stream& s = streams_[stream];
  const std::uint32_t last = s.length - 1;
  while (s.kernel < last) {
    const KernelCost cost = cost_of(chain(stream)[s.kernel]);
    next_kernel(context, stream, kernel_end(stream, cost, interference_), cost, interference_);
  }
  SimTime held{};
  if (s.is_chain && launches_)
    held = held_until(stream, context.now(), cost_of(chain(stream)[s.kernel]), interference_);
  s.held += held;
  end_row(context, stream, context.now(), held);
}

void ProgramRunner::count_held(Context& context, const Stream& s) {
  if (s.held == SimTime{0} || clock_.is_computing()) return;
  clock_.held(context.now(), s.held);
  if (records_exposed_)
    exposed_.move(context.now(), {.use = TimeUse::compute}, {.use = TimeUse::host}, s.held);
}

StepClock::Activity ProgramRunner::finish(Context& context, GpuTransport& transport) {
  if (steady_ || repeated_) record_whole_steps(context, transport);
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
    const Stream& s = streams_[stream];
    if (!s.is_running) continue;
    if (s.is_chain) advance(context, stream, interference_);
    // A chain's next kernel may begin later: the host has just launched it.
    if (records_power_ && s.start < context.now() && is_computing(s, chain(stream)[s.kernel]))
      clock_.computed(context.now() - s.start);
  }
  StepClock::Activity did = clock_.activity(context.now() - whole_run().added);
  if (repeated_) did += repeated_->activity();
  return did;
}

void ProgramRunner::record_op(Context& context, std::uint32_t stream, std::uint32_t op, SimTime start,
                              SimTime end) const {
  const Op& o = program_->ops[op];
  const std::int64_t dimension = o.dimension == no_dimension ? -1 : o.dimension;
  const SimTime launch = launches_ ? launches_->launch_of(op) : SimTime{-1};
  const std::array<std::int64_t, 11> row{
      here_.value,   stream,        op,          o.name,    static_cast<std::int64_t>(o.kind),
      iteration_,    start.count(), end.count(), dimension, o.bytes,
      launch.count()};
  context.record_at(start, tables::ops, row);
}

}  // namespace lightrail

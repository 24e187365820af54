#include "workloads/import/kineto/kineto_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

using Kind = RuntimeCall::Kind;
constexpr std::uint32_t no_op = 0xffffffff;
constexpr std::int64_t resolution_ns = 1000;  ///< older traces have whole microseconds
constexpr std::int64_t handoff_gap_ns =
    100'000;  ///< a thread that is silent for longer may have waited for another

/// Walks the calls of all threads in the order of time and emits operations.
class Replay {
 public:
  Replay(const RankTrace& trace, const ReplayOptions& options, JobBuilder& job)
      : trace_(trace),
        options_(options),
        job_(job),
        threads_(trace.threads.size()),
        last_on_(trace.streams.size(), no_op),
        issued_(trace.streams.size()),
        joined_(trace.streams.size(), std::vector<std::uint32_t>(trace.streams.size(), no_op)) {}

  Program run() {
    program_.role = fmt::format("rank {}", trace_.rank);
    for (const auto& stream : trace_.streams) stream_of(program_, stream);
    find_launches();
    for (auto& thread : threads_) thread.clock_ns = options_.epoch_ns;
    cpu_name_ = job_.name("cpu");
    has_named_waits_ = std::any_of(trace_.calls.begin(), trace_.calls.end(),
                                   [](const RuntimeCall& c) { return c.wait_on_stream >= 0; });
    for (const auto& call : trace_.calls) {
      emit_unlaunched(call.start_ns);
      take(call);
    }
    emit_unlaunched(std::numeric_limits<std::int64_t>::max());
    return std::move(program_);
  }

 private:
  struct Thread {
    std::int64_t clock_ns = 0;      ///< the measured time that the emitted host operations have reached
    std::uint32_t last_op = no_op;  ///< of its host stream
    std::int64_t last_call_ns = -1;
    std::uint32_t last_stream = no_op;  ///< stream of its last launch
    std::uint32_t waits = 0;            ///< unnamed stream waits since its last launch
  };
  /// An operation's place in the program and when it ended in the capture.
  struct Done {
    std::uint32_t op = no_op;
    std::int64_t end_ns = 0;
  };

  /// Operations by launch, and the launch latency: the least time from a call's start to its kernel's.
  void find_launches() {
    std::unordered_map<std::int64_t, std::int64_t> launch_ns;
    for (const auto& call : trace_.calls)
      if (call.kind == Kind::launch) launch_ns[call.correlation] = call.start_ns;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < trace_.operations.size(); ++i) {
      const auto& op = trace_.operations[i];
      auto it = launch_ns.find(op.correlation);
      if (it == launch_ns.end()) {
        unlaunched_.push_back(i);
        continue;
      }
      launched_[op.correlation].push_back(i);
      least = std::min(least, op.start_ns - it->second);
    }
    latency_ns_ = least == std::numeric_limits<std::int64_t>::max() ? 0 : std::max<std::int64_t>(0, least);
  }

  [[nodiscard]] std::int64_t measured_end(std::uint32_t op) const { return end_ns_.at(op); }

  void take(const RuntimeCall& call) {
    Thread& thread = threads_[call.thread];
    hand_over(call, thread);
    switch (call.kind) {
      case Kind::launch:
        launch(call, thread);
        break;
      case Kind::event_record:
        if (has_named_waits_) records_[call.correlation] = last_on_;
        break;
      case Kind::stream_wait:
        wait(call, thread);
        break;
      case Kind::stream_sync:
      case Kind::device_sync:
      case Kind::event_sync:
        synchronise(call, thread);
        break;
    }
    thread.last_call_ns = call.start_ns;
  }

  /// A thread that was silent while another made calls (autograd's thread, and the main thread while that
  /// works) continues when the other had reached its last call.
  void hand_over(const RuntimeCall& call, Thread& thread) {
    if (call.start_ns - std::max(thread.clock_ns, options_.epoch_ns) < handoff_gap_ns) return;
    const Thread* other = nullptr;
    for (const auto& t : threads_)
      if (&t != &thread && t.last_op != no_op && t.last_call_ns > thread.last_call_ns &&
          (!other || t.last_call_ns > other->last_call_ns))
        other = &t;
    if (!other || other->clock_ns <= thread.clock_ns) return;
    std::vector<std::uint32_t> after{other->last_op};
    thread.last_op = append(
        program_, host_op(OpKind::marker, call.thread, job_.name("continue after another thread")), after);
    thread.clock_ns = std::min(other->clock_ns, std::max(call.start_ns, thread.clock_ns));
  }

  Op host_op(OpKind kind, std::uint32_t thread, std::uint32_t name) {
    Op op;
    op.kind = kind;
    op.dimension = no_dimension;
    op.stream = stream_of(program_, "host " + trace_.threads[thread]);
    op.name = name;
    return op;
  }

  /// The CPU works until the measured time `until`.
  void work(std::uint32_t index, std::int64_t until_ns) {
    Thread& thread = threads_[index];
    if (until_ns <= thread.clock_ns && thread.last_op != no_op) return;
    Op op = host_op(OpKind::host, index, cpu_name_);
    op.duration = nanoseconds(std::max<std::int64_t>(0, until_ns - thread.clock_ns));
    thread.last_op = append(program_, op);
    thread.clock_ns = std::max(thread.clock_ns, until_ns);
  }

  void launch(const RuntimeCall& call, Thread& thread) {
    work(call.thread, call.start_ns + latency_ns_);
    auto it = launched_.find(call.correlation);
    if (it == launched_.end()) return;
    std::uint32_t last = no_op;
    for (std::size_t i : it->second) {
      const GpuOperation& op = trace_.operations[i];
      std::vector<std::uint32_t> after{thread.last_op};
      join_streams(op, thread, after);
      last = emit(i, after);
      thread.last_stream = op.stream;
    }
    thread.waits = 0;
    const GpuOperation& copy = trace_.operations[it->second.back()];
    if (call.is_copy && (call.is_blocking || copy.is_pageable_copy) && copy.end_ns() <= call.end_ns())
      block(call, {last});
  }

  /// What the operation's stream was told to wait for since that stream's last launch.
  void join_streams(const GpuOperation& op, Thread& thread, std::vector<std::uint32_t>& after) {
    if (auto it = named_waits_.find(op.stream); it != named_waits_.end()) {
      for (std::uint32_t producer : it->second) after.push_back(producer);
      named_waits_.erase(it);
    }
    if (thread.waits == 0) return;
    std::vector<Done> candidates;
    for (std::uint32_t s = 0; s < issued_.size(); ++s) {
      if (s == op.stream) continue;
      std::uint32_t producer = newest_finished(s, op.start_ns);
      std::uint32_t joined = joined_[op.stream][s];
      if (producer != no_op && (joined == no_op || joined < producer))
        candidates.push_back({producer, measured_end(producer)});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](auto& a, auto& b) { return a.end_ns > b.end_ns; });
    if (candidates.size() > thread.waits) candidates.resize(thread.waits);
    for (const auto& c : candidates) {
      after.push_back(c.op);
      joined_[op.stream][program_.ops[c.op].stream] = c.op;
    }
  }

  /// The newest operation of a stream that had ended by `start_ns`; one that overlapped cannot have been
  /// waited for.
  [[nodiscard]] std::uint32_t newest_finished(std::uint32_t stream, std::int64_t start_ns) const {
    const auto& all = issued_[stream];
    for (std::size_t i = all.size(); i-- > 0 && all.size() - i < 1024;)
      if (measured_end(all[i]) <= start_ns + resolution_ns) return all[i];
    return no_op;
  }

  void wait(const RuntimeCall& call, Thread& thread) {
    if (call.stream < 0 || call.wait_on_stream < 0) {
      ++thread.waits;
      return;
    }
    auto record = records_.find(call.record_correlation);
    const auto& last = record == records_.end() ? last_on_ : record->second;
    std::uint32_t producer = last[static_cast<std::size_t>(call.wait_on_stream)];
    if (producer != no_op) named_waits_[static_cast<std::uint32_t>(call.stream)].push_back(producer);
  }

  void synchronise(const RuntimeCall& call, Thread& thread) {
    std::vector<std::uint32_t> after;
    auto add = [&](std::uint32_t op) {
      if (op != no_op && measured_end(op) <= call.end_ns() + resolution_ns) after.push_back(op);
    };
    if (call.kind == Kind::device_sync)
      for (std::uint32_t op : last_on_) add(op);
    else if (call.stream >= 0 && call.kind == Kind::stream_sync)
      add(last_on_[static_cast<std::size_t>(call.stream)]);
    else if (call.kind == Kind::stream_sync && thread.last_stream != no_op)
      add(last_on_[thread.last_stream]);
    if (after.empty() && call.kind != Kind::device_sync) add(finished_last_within(call));
    block(call, after);
  }

  /// The operation that ended last inside the call: what a synchronisation of unknown aim waited for.
  [[nodiscard]] std::uint32_t finished_last_within(const RuntimeCall& call) const {
    Done best;
    for (auto op = static_cast<std::uint32_t>(program_.ops.size()); op-- > 0;) {
      auto it = end_ns_.find(op);
      if (it == end_ns_.end()) continue;
      if (it->second >= call.start_ns && it->second <= call.end_ns() && it->second > best.end_ns)
        best = {op, it->second};
      if (program_.ops.size() - op > 4096) break;
    }
    return best.op;
  }

  /// The CPU waits for `after`; the rest of the call is CPU time and joins the next host operation.
  void block(const RuntimeCall& call, const std::vector<std::uint32_t>& after) {
    Thread& thread = threads_[call.thread];
    work(call.thread, call.start_ns);
    if (after.empty()) return;
    std::int64_t ready = 0;
    for (std::uint32_t op : after) ready = std::max(ready, measured_end(op));
    thread.last_op =
        append(program_, host_op(OpKind::marker, call.thread, job_.name("wait for the GPU")), after);
    thread.clock_ns = std::max(thread.clock_ns, std::clamp(ready, call.start_ns, call.end_ns()));
  }

  /// Operations whose launch lies before the capture: in stream order, with no CPU to wait for.
  void emit_unlaunched(std::int64_t until_ns) {
    while (next_unlaunched_ < unlaunched_.size() &&
           trace_.operations[unlaunched_[next_unlaunched_]].start_ns <= until_ns)
      emit(unlaunched_[next_unlaunched_++], {});
  }

  std::uint32_t emit(std::size_t index, const std::vector<std::uint32_t>& after) {
    const GpuOperation& source = trace_.operations[index];
    if (source.communication >= 0 && source.parts > 1) return emit_batch(source, after);
    Op op;
    op.stream = static_cast<std::uint16_t>(source.stream);
    op.name = job_.name(trace_.names[source.name]);
    op.dimension = no_dimension;
    if (source.communication >= 0) {
      options_.bind_communication(static_cast<std::size_t>(source.communication), op);
      if (op.kind == OpKind::collective && op.bytes == 0 && op.collective == CollectiveType::all_to_all)
        op.kind = OpKind::marker;  // nobody gives anything
    } else {
      op.kind = OpKind::compute;
      op.duration = std::max(picoseconds(1), nanoseconds(source.duration_ns));
    }
    return emitted(source, append(program_, op, after));
  }

  /// Sends and receives that one kernel executes at the same time, each on a stream of its own; the kernel
  /// ends when all of them have.
  std::uint32_t emit_batch(const GpuOperation& source, std::vector<std::uint32_t> after) {
    if (last_on_[source.stream] != no_op) after.push_back(last_on_[source.stream]);
    std::vector<std::uint32_t> parts;
    Op op;
    for (std::uint32_t part = 0; part < source.parts; ++part) {
      op = {};
      op.stream = part == 0
                      ? static_cast<std::uint16_t>(source.stream)
                      : stream_of(program_, fmt::format("{} part {}", trace_.streams[source.stream], part));
      op.name = job_.name(trace_.names[source.name]);
      options_.bind_communication(static_cast<std::size_t>(source.communication) + part, op);
      parts.push_back(append(program_, op, after));
    }
    Op end;
    end.kind = OpKind::marker;
    end.dimension = no_dimension;
    end.stream = static_cast<std::uint16_t>(source.stream);
    end.name = op.name;
    return emitted(source, append(program_, end, parts));
  }

  std::uint32_t emitted(const GpuOperation& source, std::uint32_t at) {
    last_on_[source.stream] = at;
    issued_[source.stream].push_back(at);
    end_ns_[at] = source.end_ns();
    return at;
  }

  const RankTrace& trace_;
  const ReplayOptions& options_;
  JobBuilder& job_;
  Program program_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> last_on_;              ///< by stream: its last operation so far
  std::vector<std::vector<std::uint32_t>> issued_;  ///< by stream: all its operations so far
  std::vector<std::vector<std::uint32_t>> joined_;  ///< [stream][other]: newest operation already waited for
  bool has_named_waits_ = false;
  std::unordered_map<std::int64_t, std::vector<std::uint32_t>>
      records_;  ///< by correlation: last_on_ at the record
  std::map<std::uint32_t, std::vector<std::uint32_t>> named_waits_;      ///< by waiting stream
  std::unordered_map<std::uint32_t, std::int64_t> end_ns_;               ///< of emitted GPU operations
  std::unordered_map<std::int64_t, std::vector<std::size_t>> launched_;  ///< by correlation
  std::vector<std::size_t> unlaunched_;
  std::size_t next_unlaunched_ = 0;
  std::int64_t latency_ns_ = 0;
  std::uint32_t cpu_name_ = 0;
};

}  // namespace

Program make_replay_program(const RankTrace& trace, const ReplayOptions& options, JobBuilder& job) {
  return Replay(trace, options, job).run();
}

}  // namespace lightrail

#include "workloads/program/host_timeline.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lightrail {
namespace {

SimTime scaled(SimTime time, const HostCosts& costs, const HostSettings& settings) {
  if (settings.is_bound || costs.unbound == 1) return time;
  return picoseconds(std::llround(static_cast<double>(time.count()) * costs.unbound));
}

/// Bounds the CPU's lead: which launched kernels have surely ended, in program order.
class Queue {
 public:
  Queue(const Program& program, std::uint32_t most) : program_(program), most_(most) {}

  /// The kernel that must have ended before `kernels` more are launched, or none (op itself).
  std::uint32_t blocked_by(std::uint32_t op, std::uint32_t kernels) {
    if (launched_ + kernels <= ended_ + most_) return op;
    // An eighth at once: a wait for each kernel would end every chain of kernels.
    const std::uint64_t wanted = std::min(launched_, launched_ + kernels - most_ + most_ / 8);
    while (next_ < ends_.size() && ends_[next_].launched < wanted) ++next_;
    if (next_ == ends_.size()) return op;
    ended_ = ends_[next_].launched;
    return ends_[next_].op;
  }
  void launch(std::uint32_t op, std::uint32_t kernels) {
    launched_ += kernels;
    if (kernels > 0 && program_.ops[op].kind == OpKind::compute) ends_.push_back({op, launched_});
  }
  /// The CPU waits for the last one launched anyway.
  void drain() { ended_ = launched_; }

 private:
  struct End {
    std::uint32_t op;
    std::uint64_t launched;  ///< up to it
  };
  const Program& program_;
  std::uint64_t most_, launched_ = 0, ended_ = 0;
  std::vector<End> ends_;
  std::size_t next_ = 0;
};

void end_chains(const ProgramIndex& index, HostTimeline& timeline) {
  timeline.chain = index.chain;
  std::vector<bool> is_awaited(index.chain.size());
  for (const HostTimeline::Wait& wait : timeline.waits) is_awaited[wait.op] = true;
  for (const std::vector<std::uint32_t>& ops : index.stream_ops)
    for (std::size_t k = ops.size(); k-- > 0;)
      timeline.chain[ops[k]] =
          index.chain[ops[k]] == 1 || is_awaited[ops[k]] ? 1 : timeline.chain[ops[k + 1]] + 1;
}

}  // namespace

SimTime host_time(const HostWork& work, const HostCosts& costs, const HostSettings& settings) {
  return scaled(work.launches * costs.launch + work.calls * costs.call + work.modules * costs.module +
                    work.casts * costs.cast + work.experts * costs.expert + work.graphs * costs.graph +
                    work.nodes * costs.node,
                costs, settings);
}

HostTimeline make_host_timeline(const Program& program, const ProgramIndex& index, const ProgramSet& set,
                                const HostCosts& costs, std::uint32_t iteration) {
  HostTimeline timeline;
  timeline.launches.resize(program.ops.size());
  Queue queue(program, costs.ahead);
  HostTimeline::Mark now{SimTime{0}, 0};
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    HostTimeline::Launch& launch = timeline.launches[i];
    if (program.ops[i].host_work != 0 && program.ops[i].is_due(iteration)) {
      const HostWork& work = set.host_work[program.ops[i].host_work];
      if (const std::uint32_t op = queue.blocked_by(i, work.kernels()); op != i)
        timeline.waits.push_back({op, now});
      const SimTime time = host_time(work, costs, set.host_of(program));
      const std::uint32_t handovers = work.calls + work.graphs;
      launch.kernels = std::max(1u, work.kernels());
      launch.first = {now.at + time / launch.kernels,
                      now.handovers + (handovers + launch.kernels - 1) / launch.kernels};
      launch.last = now = {now.at + time, now.handovers + handovers};
      launch.waits = static_cast<std::uint32_t>(timeline.waits.size());
      queue.launch(i, work.kernels());
      if (work.reads_back != 0) {
        timeline.waits.push_back({i, now});
        now.at += scaled(costs.read_back, costs, set.host_of(program));
        ++now.handovers;
        queue.drain();
      }
    }
  }
  timeline.total = now;
  timeline.collection = scaled(costs.collection, costs, set.host_of(program));
  timeline.step = scaled(costs.step, costs, set.host_of(program));
  end_chains(index, timeline);
  return timeline;
}

HostTimelines::HostTimelines(const Program& program, const ProgramIndex& index, const ProgramSet& set,
                             const HostCosts& costs)
    : program_(&program), index_(&index), set_(&set), costs_(&costs) {
  for (const Op& op : program.ops)
    if (op.host_work != 0 && op.every > 1) schedules_.insert({op.every, op.turn});
}

const HostTimeline& HostTimelines::of(std::uint32_t iteration) {
  std::vector<bool> due;
  for (const auto& [every, turn] : schedules_) due.push_back(iteration % every == turn);
  const auto made = made_.find(due);
  if (made != made_.end()) return made->second;
  return made_.emplace(due, make_host_timeline(*program_, *index_, *set_, *costs_, iteration)).first->second;
}

}  // namespace lightrail

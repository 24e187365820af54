#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/model/state_io.hpp"
#include "workloads/program/host_timeline.hpp"

namespace lightrail {

/// The CPU that launches one GPU's operations: one server, in program order, ahead of the GPU until it has to
/// wait (HostTimeline). Its clock is that of the timeline plus all that it has waited: that, and how many
/// waits are behind it, is all its state; and where launches are recorded, what it was after each wait of
/// this iteration.
///
/// While threads of its process compute in Python's interpreter (share_interpreter), the CPU waits a switch
/// interval for it whenever it has given it away: these threads never block, so CPython's lock changes hands
/// when one of them has had it for that long, and not before.
///
/// Assumes a CPU for every GPU, whose work for one operation takes the same time always. Leaves out what
/// launching and the loader take from each other, and profilers.
class LaunchServer {
 public:
  /// `start`: of the job [ps].
  LaunchServer(std::shared_ptr<HostTimelines> timelines, const HostCosts& costs, const HostSettings& settings,
               SimTime start = {});
  /// Before anything is launched: launch_of will be asked.
  void record_launches() {
    records_launches_ = true;
    keep_clock();
  }

  /// When the first kernel of `op` may start as far as the CPU is concerned; 0: it could before now;
  /// time_never: the CPU waits for an operation that has not ended.
  [[nodiscard]] SimTime start_of(std::uint32_t op) const { return time_of(op, &HostTimeline::Launch::first); }
  /// The same of its last kernel.
  [[nodiscard]] SimTime last_start_of(std::uint32_t op) const {
    return time_of(op, &HostTimeline::Launch::last);
  }
  [[nodiscard]] std::uint32_t kernels(std::uint32_t op) const { return timeline_->launches[op].kernels; }
  [[nodiscard]] bool has_work(std::uint32_t op) const { return timeline_->launches[op].has_work(); }
  /// When the CPU launched the first kernel of `op`, which has started in this iteration; below 0: it needs
  /// no CPU. Only where launches are recorded.
  [[nodiscard]] SimTime launch_of(std::uint32_t op) const;
  /// Kernels from `op` on of one stream, with no wait of the CPU for one of them but the last.
  [[nodiscard]] std::uint32_t chain(std::uint32_t op) const { return timeline_->chain[op]; }
  [[nodiscard]] SimTime gap() const { return costs_->gap; }
  [[nodiscard]] bool launches_in_order() const { return settings_->launches_in_order; }

  /// Something has ended at `now`: the CPU goes on where `has_ended(op)` of all that it waited for.
  template <class HasEnded>
  void pass_waits(SimTime now, const HasEnded& has_ended) {
    while (passed_ < timeline_->waits.size() && has_ended(timeline_->waits[passed_].op)) {
      const HostTimeline::Mark& from = timeline_->waits[passed_++].from;
      if (clock_.time_of(from) < now) clock_.set(from, now), moved_ = passed_, keep_clock();
    }
  }
  /// From `now` on threads of the process compute in the interpreter; what is not launched comes later.
  void share_interpreter(SimTime now);
  /// They do no longer; what is not launched comes sooner.
  void regain_interpreter(SimTime now);
  /// The CPU begins with iteration number `iteration` at `now`, whatever it was at.
  void begin_again(SimTime now, std::uint32_t iteration);
  /// Iteration number `ended` (0, 1, ...) has ended.
  void end_iteration(std::uint32_t ended);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  /// From marks of the timeline to time.
  struct Clock {
    SimTime offset{};
    std::int64_t shared_from = 0;  ///< handovers before the interpreter was shared
    SimTime interval{};            ///< what one takes; 0: it is not shared

    [[nodiscard]] SimTime time_of(const HostTimeline::Mark& mark) const {
      const SimTime time = offset + mark.at;
      return interval == SimTime{0} ? time : time + (mark.handovers - shared_from) * interval;
    }
    /// The CPU is at `mark` at `now`.
    void set(const HostTimeline::Mark& mark, SimTime now) {
      offset = now - mark.at, shared_from = mark.handovers;
    }
  };
  /// A clock of what is launched behind so many waits, and behind so many handovers (-1: whatever they are).
  struct ClockFrom {
    std::int64_t waits = 0, handovers = -1;
    Clock clock;
  };
  [[nodiscard]] SimTime time_of(std::uint32_t op, HostTimeline::Mark HostTimeline::Launch::*kernel) const {
    const HostTimeline::Launch& launch = timeline_->launches[op];
    if (!launch.has_work() || launch.waits < moved_) return SimTime{0};
    return launch.waits > passed_ ? time_never : clock_.time_of(launch.*kernel) + costs_->start;
  }
  [[nodiscard]] bool collects_in(std::uint32_t iteration) const {
    return settings_->collects_every > 0 && (iteration + 1) % settings_->collects_every == 0;
  }
  /// Of the operations that need the CPU, the first that it has not launched whole at `now`; how many there
  /// are: none. `last`: of its first kernel, where that is launched, or else of the one before it.
  std::size_t next_launch(SimTime now, HostTimeline::Mark& last) const;
  void find_timeline() { timeline_ = &timelines_->of(iteration_); }
  /// At the head of iteration number `iteration`.
  void begin_iteration(std::uint32_t iteration);
  void keep_clock(std::int64_t handovers = -1) {
    if (records_launches_) clocks_.push_back({passed_, handovers, clock_});
  }

  std::shared_ptr<HostTimelines> timelines_;
  const HostTimeline* timeline_;  ///< of this iteration
  const HostCosts* costs_;
  const HostSettings* settings_;
  Clock clock_;
  std::uint32_t iteration_ = 0;
  std::uint32_t passed_ = 0;  ///< waits that are behind the CPU
  std::uint32_t moved_ = 0;   ///< ... when it last waited: what it launched before that is launched
  bool records_launches_ = false;
  std::vector<ClockFrom> clocks_;  ///< those of this iteration
};

/// The figures of the host that `gpu` is joined to; null: it has none, or nothing is known of it.
[[nodiscard]] const HostCosts* host_costs_of(const Model& model, ComponentId gpu);

/// One HostTimelines for each program and kind of host that has GPUs alive.
class HostTimelineCache {
 public:
  /// `program`: index into `set`.
  std::shared_ptr<HostTimelines> get(const ProgramSet& set, const ProgramIndexes& indexes,
                                     std::uint32_t program, const HostCosts& costs);

 private:
  std::map<std::tuple<const void*, const void*, std::uint32_t>, std::weak_ptr<HostTimelines>> alive_;
};

}  // namespace lightrail

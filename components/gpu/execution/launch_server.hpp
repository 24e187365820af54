#pragma once
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
/// Assumes a CPU for every GPU, whose work for one operation takes the same time always. Leaves out what
/// launching and the loader take from each other, and profilers.
class LaunchServer {
 public:
  /// `start`: of the job [ps].
  LaunchServer(std::shared_ptr<const HostTimeline> timeline, const HostCosts& costs,
               const HostSettings& settings, SimTime start = {});
  /// Before anything is launched: launch_of will be asked.
  void record_launches() {
    records_launches_ = true;
    keep_offset();
  }

  /// When the first kernel of `op` may start as far as the CPU is concerned; 0: it could before now;
  /// time_never: the CPU waits for an operation that has not ended.
  [[nodiscard]] SimTime start_of(std::uint32_t op) const { return time_of(op, &HostTimeline::Launch::first); }
  /// The same of its last kernel.
  [[nodiscard]] SimTime last_start_of(std::uint32_t op) const {
    return time_of(op, &HostTimeline::Launch::last);
  }
  [[nodiscard]] std::uint32_t kernels(std::uint32_t op) const { return timeline_->launches[op].kernels; }
  [[nodiscard]] bool has_work(std::uint32_t op) const { return timeline_->launches[op].first >= SimTime{0}; }
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
      const SimTime at = timeline_->waits[passed_++].at;
      if (offset_ + at < now) offset_ = now - at, moved_ = passed_, keep_offset();
    }
  }
  /// The CPU begins with iteration number `iteration` at `now`, whatever it was at.
  void begin_again(SimTime now, std::uint32_t iteration);
  /// Iteration number `ended` (0, 1, ...) has ended.
  void end_iteration(std::uint32_t ended);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct OffsetFrom {
    std::uint64_t waits = 0;  ///< as wide as `offset`: checkpoints have its bytes
    SimTime offset{};
  };
  [[nodiscard]] SimTime time_of(std::uint32_t op, SimTime HostTimeline::Launch::*kernel) const {
    const HostTimeline::Launch& launch = timeline_->launches[op];
    if (launch.first < SimTime{0} || launch.waits < moved_) return SimTime{0};
    return launch.waits > passed_ ? time_never : offset_ + launch.*kernel + costs_->start;
  }
  [[nodiscard]] bool collects_in(std::uint32_t iteration) const {
    return settings_->collects_every > 0 && (iteration + 1) % settings_->collects_every == 0;
  }

  void keep_offset() {
    if (records_launches_) offsets_.push_back({passed_, offset_});
  }

  std::shared_ptr<const HostTimeline> timeline_;
  const HostCosts* costs_;
  const HostSettings* settings_;
  SimTime offset_{};          ///< of the timeline's clock
  std::uint32_t passed_ = 0;  ///< waits that are behind the CPU
  std::uint32_t moved_ = 0;   ///< ... when it last waited: what it launched before that is launched
  bool records_launches_ = false;
  std::vector<OffsetFrom> offsets_;  ///< `offset_` from so many waits on, of this iteration
};

/// The figures of the host that `gpu` is joined to; null: it has none, or nothing is known of it.
[[nodiscard]] const HostCosts* host_costs_of(const Model& model, ComponentId gpu);

/// One timeline for each program and kind of host that has GPUs alive.
class HostTimelines {
 public:
  /// `program`: index into `set`.
  std::shared_ptr<const HostTimeline> get(const ProgramSet& set, const ProgramIndexes& indexes,
                                          std::uint32_t program, const HostCosts& costs);

 private:
  std::map<std::tuple<const void*, const void*, std::uint32_t>, std::weak_ptr<const HostTimeline>> alive_;
};

}  // namespace lightrail

#pragma once
#include <cstdint>
#include <vector>

#include "app/explain/group_places.hpp"
#include "app/explain/message_times.hpp"
#include "app/explain/recorded_job.hpp"

namespace lightrail {

/// What the start and the end of every recorded operation waited for, and when both would be if some
/// operations took another time.
///
/// An operation starts when the last of what its program makes it wait for has ended: the one before it on
/// its stream, its dependencies, the collective before it on its communicator. If it starts later than that,
/// it waited for its launch (its lag). It ends its own time after its anchor: its start, or the start of
///   - the last member of its collective (of a broadcast: the root),
///   - the other side of a message over the eager limit, if that is later,
///   - the sender, of a message that had not arrived when the receive began.
/// The replay leaves out what changes otherwise: contention, kernels that communication slows down, routes.
/// What a CPU launches late it launches as late after the start of the GPU's iteration as it did.
class RunGraph {
 public:
  static constexpr std::uint32_t none = RecordedJob::none;

  /// Factors of an operation's own time, and of waiting for launches.
  struct Scale {
    std::vector<double> bytes, rest;  ///< by part (Parts::of): of time in which bytes arrive, and of the rest
    double launch = 1;
  };
  /// Of an operation.
  struct Cause {
    std::uint32_t before = none;  ///< run whose end its start waited for; none: nothing before it
    std::uint32_t anchor = none;  ///< run after whose start it ended its own time later
    std::int64_t bytes_ps = 0;    ///< of its own time: bytes of its messages arrived
    bool is_split = false;        ///< ... which its messages tell
  };

  RunGraph(const RecordedJob& job, const GroupPlaces& places, const MessageTimes& messages);

  [[nodiscard]] const Cause& cause(std::uint32_t run) const { return causes_[run]; }
  /// [ps] its end after its anchor's start.
  [[nodiscard]] std::int64_t own_ps(std::uint32_t run) const {
    return job_.runs[run].end_ps - job_.runs[causes_[run].anchor].start_ps;
  }
  /// [ps] first GPU's start to last GPU's end of the last iteration; `part`: by run.
  [[nodiscard]] std::int64_t step_ps(const Scale& scale, const std::vector<std::uint32_t>& part) const;
  /// [ps] when the last iteration's first GPU starts.
  [[nodiscard]] std::int64_t step_start_ps() const;
  /// The run whose end is that of the last iteration.
  [[nodiscard]] std::uint32_t last_run() const;

 private:
  /// How the end of a run follows from starts.
  enum class Rule : std::uint8_t {
    alone,       ///< its own start
    together,    ///< the last start of its collective so far
    after_root,  ///< the later of its start and the anchor's
    arrival,     ///< the anchor's start, but not before its own
  };

  template <class F>
  void for_each_before(std::uint32_t run, F&& use) const;
  void make_order();
  void find_collectives(const GroupPlaces& places);
  void find_partners(const GroupPlaces& places);
  void find_causes(const MessageTimes& messages);
  void choose_anchor(std::uint32_t run, const MessageTimes& messages, std::vector<std::uint32_t>& latest);

  const RecordedJob& job_;
  std::vector<std::uint32_t> order_;       ///< 2 run: its start, 2 run + 1: its end; what waits comes later
  std::vector<std::uint32_t> collective_;  ///< by run: which collective; none: of others
  std::vector<std::uint32_t> partner_;     ///< by run: other side of a message, or a broadcast's root
  std::uint32_t collectives_ = 0;
  std::vector<Cause> causes_;
  std::vector<Rule> rules_;
};

}  // namespace lightrail

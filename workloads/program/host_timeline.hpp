#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "workloads/program/host_costs.hpp"
#include "workloads/program/program.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {

/// When the CPU of a GPU launches the operations of its program, as long as it never waits; and where it does
/// wait. What the wait takes is added to all that follows (LaunchServer). Derived once for all GPUs of a
/// program and a kind of host. All times from the start of an iteration [ps].
///
/// Every operation of the framework gives Python's interpreter to others while it works, and so does every
/// graph and every read; where other threads compute in it, the CPU waits to get it back.
struct HostTimeline {
  /// Where the CPU is: its time, and how often it has given the interpreter away until then.
  struct Mark {
    SimTime at{-1};
    std::uint32_t handovers = 0;
  };
  /// Before the operations that count it, the CPU waits for the end of an earlier one: to read its result, or
  /// because too much is launched.
  struct Wait {
    std::uint32_t op = 0;  ///< that has to end
    Mark from;             ///< where the CPU begins to wait, or what it needs afterwards is counted from
  };
  /// One operation.
  struct Launch {
    Mark first, last;         ///< of its kernels, each launched; before 0: it needs no CPU
    std::uint32_t waits = 0;  ///< of `waits` that lie before it
    std::uint32_t kernels = 1;

    [[nodiscard]] bool has_work() const { return first.at >= SimTime{0}; }
  };
  std::vector<Launch> launches;      ///< by op
  std::vector<Wait> waits;           ///< in program order
  std::vector<std::uint32_t> chain;  ///< ProgramIndex::chain, ended by operations that the CPU waits for
  Mark total;                        ///< of an iteration
  SimTime collection{}, step{};      ///< HostCosts, scaled where processes are not bound
};

/// What `work` takes a CPU with these costs, without waiting [ps].
[[nodiscard]] SimTime host_time(const HostWork& work, const HostCosts& costs, const HostSettings& settings);

/// Of the operations that take place in `iteration`; others need no CPU. O(operations). `program` is of `set`
/// and `index` its index.
[[nodiscard]] HostTimeline make_host_timeline(const Program& program, const ProgramIndex& index,
                                              const ProgramSet& set, const HostCosts& costs,
                                              std::uint32_t iteration = 0);

/// The timelines of one program and a kind of host: one for each set of operations that iterations have.
class HostTimelines {
 public:
  /// As make_host_timeline(), whose references are kept.
  HostTimelines(const Program& program, const ProgramIndex& index, const ProgramSet& set,
                const HostCosts& costs);
  /// Stays where it is.
  const HostTimeline& of(std::uint32_t iteration);

 private:
  using Schedule = std::pair<std::uint16_t, std::uint16_t>;  ///< Op::every, turn
  const Program* program_;
  const ProgramIndex* index_;
  const ProgramSet* set_;
  const HostCosts* costs_;
  std::set<Schedule> schedules_;  ///< of operations that need a CPU and leave iterations out
  std::map<std::vector<bool>, HostTimeline> made_;
};

}  // namespace lightrail

#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/flow_control.hpp"
#include "network/port/pause/pause_flow_control.hpp"

namespace lightrail {

/// Which paused classes of a component's ports are in a storm.
///   PFC watchdog of SONiC (github.com/sonic-net/sonic-mgmt, docs/pfcwd), whose terms it has; C. Guo et al.:
///   RDMA over Commodity Ethernet at Scale. SIGCOMM 2016, section 4.3.
///
/// Model: a class whose trains wait and may not begin is stuck from the later of both on. After `detect` of
/// that without a break it is in a storm, which ends when it has not been paused for `restore`. Times are
/// exact; SONiC looks at counters at intervals, so that it may find a storm an interval later. A timer runs
/// only while a class is stuck, or in a storm and not paused. Leaves out storms of empty queues, and that
/// SONiC's dropping port also throws away what comes in on it.
class PauseWatchdog {
 public:
  /// `classes`: of all ports, by port * max_lanes + lane; none is watched.
  explicit PauseWatchdog(std::size_t classes) : rules_(classes), classes_(classes) {}
  /// Before the run. `rule.detect` 0: nobody does.
  void watch(std::size_t index, const Watchdog& rule) { rules_[index] = rule; }
  [[nodiscard]] bool watches(std::size_t index) const { return rules_[index].detect > SimTime{0}; }
  [[nodiscard]] bool is_storm(std::size_t index) const { return classes_[index].is_storm != 0; }
  [[nodiscard]] StormAction action(std::size_t index) const { return rules_[index].action; }

  /// Trains wait and may not begin from `since` on, which may be to come. Called whenever that begins.
  void on_stuck(Context& context, std::size_t index, SimTime since);
  /// A pause has ended.
  void on_resumed(Context& context, std::size_t index);
  /// A timer of the class has ended. Returns whether a storm has begun or ended now.
  [[nodiscard]] bool on_timer(Context& context, std::size_t index, bool is_paused, bool has_waiting);
  /// `train` is thrown away in a storm.
  void on_discarded(std::size_t index, const Frame& train);

  /// Rows of the table storms, of those that last.
  void finish(Context& context) const;
  void save(StateWriter& out) const { out.put(classes_); }
  void load(StateReader& in) { in.get(classes_); }

 private:
  struct Class {
    SimTime since{};    ///< stuck, if it is
    SimTime resumed{};  ///< end of the last pause
    SimTime began{};    ///< of the storm
    std::int64_t discarded = 0, discarded_bytes = 0;
    std::uint32_t is_storm = 0, has_timer = 0;
  };
  void ask(Context& context, std::size_t index, SimTime at);
  void record(Context& context, std::size_t index, bool has_ended) const;

  std::vector<Watchdog> rules_;  ///< fixed
  std::vector<Class> classes_;
};

}  // namespace lightrail

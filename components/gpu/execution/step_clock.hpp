#pragma once
#include <algorithm>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// Splits a GPU's time into compute (some kernel runs), exposed communication (communication runs and no
/// kernel does), host (neither runs, and something waits for nothing but its launch) and idle (the rest), by
/// counting what runs: interval unions on the fly. Over the run, compute
/// is split further, by what its kernels were bound by.
class StepClock {
 public:
  struct Totals {
    SimTime compute{}, exposed{}, host{}, idle{};
  };
  /// Time so far by what the GPU did. `compute`: some kernel ran that was not bound by memory; `memory`:
  /// others did.
  struct Activity {
    SimTime compute{}, memory{}, communication{}, idle{};
    [[nodiscard]] SimTime busy() const { return compute + memory + communication; }
    Activity& operator+=(const Activity& other) {
      compute += other.compute, memory += other.memory, communication += other.communication;
      idle += other.idle;
      return *this;
    }
  };
  void kernel(SimTime now, int change) { pass(now), kernels_ += change; }
  void communication(SimTime now, int change) { pass(now), communications_ += change; }
  void wait_for_host(SimTime now, int change) { pass(now), host_waits_ += change; }
  [[nodiscard]] bool is_computing() const { return kernels_ > 0; }
  /// The split since the last call of take().
  [[nodiscard]] Totals so_far(SimTime now) {
    pass(now);
    return totals_;
  }
  /// The split since the last call.
  Totals take(SimTime now) {
    pass(now);
    const Totals all = totals_;
    taken_.compute += all.compute, taken_.exposed += all.exposed;
    taken_.host += all.host, taken_.idle += all.idle;
    totals_ = {};
    return all;
  }
  /// For so long until `now` kernels that count as running only waited to be launched: the host's time, or
  /// exposed communication where some runs now.
  void held(SimTime now, SimTime time) {
    pass(now);
    time = std::min(time, totals_.compute);
    totals_.compute -= time, (communications_ > 0 ? totals_.exposed : totals_.host) += time;
  }
  /// Whatever ran or was waited for, nothing does any more.
  void stop_all(SimTime now) { pass(now), kernels_ = communications_ = host_waits_ = 0; }
  /// A kernel that is not bound by memory ran for that time.
  void computed(SimTime time) { computed_ += time; }
  /// Kernels that are not bound by memory are taken not to run side by side.
  Activity activity(SimTime now) {
    pass(now);
    const SimTime kernels = taken_.compute + totals_.compute, compute = std::min(kernels, computed_);
    return {compute, kernels - compute, taken_.exposed + totals_.exposed,
            taken_.idle + totals_.idle + taken_.host + totals_.host};
  }

  void save(StateWriter& out) const {
    out.put(last_), out.put(totals_), out.put(taken_), out.put(computed_), out.put(kernels_),
        out.put(communications_), out.put(host_waits_);
  }
  void load(StateReader& in) {
    in.get(last_), in.get(totals_), in.get(taken_), in.get(computed_), in.get(kernels_),
        in.get(communications_), in.get(host_waits_);
  }

 private:
  void pass(SimTime now) {
    (kernels_ > 0          ? totals_.compute
     : communications_ > 0 ? totals_.exposed
     : host_waits_ > 0     ? totals_.host
                           : totals_.idle) += now - last_;
    last_ = now;
  }
  SimTime last_{}, computed_{};
  Totals totals_{}, taken_{};  ///< since the last call of take(), before it
  int kernels_ = 0, communications_ = 0, host_waits_ = 0;
};

}  // namespace lightrail

#pragma once
#include "components/gpu/compute_model.hpp"
#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// Splits a GPU's time into compute (some kernel runs), exposed communication (communication runs and no
/// kernel does) and idle (neither), by counting what runs: interval unions on the fly. Over the run, compute
/// is split further, by what its kernels were bound by.
class StepClock {
 public:
  struct Totals {
    SimTime compute{}, exposed{}, idle{};
  };
  /// Time so far by what the GPU did; `compute`: some kernel ran that was not bound by memory.
  struct Activity {
    SimTime compute{}, memory{}, communication{}, idle{};
    SimTime busy() const { return compute + memory + communication; }
  };
  void kernel(SimTime now, int change) { pass(now), kernels_ += change; }
  void communication(SimTime now, int change) { pass(now), communications_ += change; }
  /// The split since the last call.
  Totals take(SimTime now) {
    pass(now);
    const Totals all = totals_;
    taken_.compute += all.compute, taken_.exposed += all.exposed, taken_.idle += all.idle;
    totals_ = {};
    return all;
  }
  /// A kernel ran for that time.
  void worked(Bound bound, SimTime time) { (bound == Bound::memory ? memory_ : compute_) += time; }
  /// Where kernels ran side by side their time is shared out as their sums are.
  Activity activity(SimTime now) {
    pass(now);
    const SimTime kernels = taken_.compute + totals_.compute, worked = compute_ + memory_;
    Activity all;
    if (worked != SimTime{0})
      all.memory = SimTime{static_cast<std::int64_t>(
          static_cast<double>(kernels.count()) *
          (static_cast<double>(memory_.count()) / static_cast<double>(worked.count())))};
    all.compute = kernels - all.memory;
    all.communication = taken_.exposed + totals_.exposed;
    all.idle = taken_.idle + totals_.idle;
    return all;
  }

  void save(StateWriter& out) const {
    out.put(last_), out.put(totals_), out.put(taken_), out.put(compute_), out.put(memory_), out.put(kernels_),
        out.put(communications_);
  }
  void load(StateReader& in) {
    in.get(last_), in.get(totals_), in.get(taken_), in.get(compute_), in.get(memory_), in.get(kernels_),
        in.get(communications_);
  }

 private:
  void pass(SimTime now) {
    (kernels_ > 0 ? totals_.compute : communications_ > 0 ? totals_.exposed : totals_.idle) += now - last_;
    last_ = now;
  }
  SimTime last_{};
  Totals totals_{}, taken_{};     ///< since the last call of take(), before it
  SimTime compute_{}, memory_{};  ///< sums over kernels
  int kernels_ = 0, communications_ = 0;
};

}  // namespace lightrail

#pragma once
#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// Splits a GPU's time into compute (some kernel runs), exposed communication (communication runs and no
/// kernel does) and idle (neither), by counting what runs: interval unions on the fly.
class StepClock {
 public:
  struct Totals {
    SimTime compute{}, exposed{}, idle{};
  };
  void kernel(SimTime now, int change) { pass(now), kernels_ += change; }
  void communication(SimTime now, int change) { pass(now), communications_ += change; }
  /// The split since the last call.
  Totals take(SimTime now) {
    pass(now);
    Totals all = totals_;
    busy_ += all.compute + all.exposed;
    totals_ = {};
    return all;
  }
  /// Time in which something ran, of the steps taken so far.
  SimTime busy() const { return busy_; }

  void save(StateWriter& out) const {
    out.put(last_), out.put(totals_), out.put(busy_), out.put(kernels_), out.put(communications_);
  }
  void load(StateReader& in) {
    in.get(last_), in.get(totals_), in.get(busy_), in.get(kernels_), in.get(communications_);
  }

 private:
  void pass(SimTime now) {
    (kernels_ > 0 ? totals_.compute : communications_ > 0 ? totals_.exposed : totals_.idle) += now - last_;
    last_ = now;
  }
  SimTime last_{}, busy_{};
  Totals totals_{};
  int kernels_ = 0, communications_ = 0;
};

}  // namespace lightrail

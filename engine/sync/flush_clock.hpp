#pragma once
#include <cstdint>

#include "engine/model/recorder.hpp"

namespace lightrail {

/// Calls the recorder's flush at the multiples of its interval that end an interval with events.
class FlushClock {
 public:
  explicit FlushClock(Recorder& recorder) : recorder_(&recorder), interval_(recorder.interval()) {
    if (interval_.count() > 0) boundary_ = interval_;
  }
  /// No event at or after this may be handled before pass() has gone beyond it.
  [[nodiscard]] SimTime boundary() const { return boundary_; }

  /// Goes on where another clock was.
  void resume(SimTime boundary) { boundary_ = boundary; }

  /// Every event before `next` has been handled and the next event anywhere is at `next`.
  void pass(SimTime next) {
    if (next < boundary_) return;
    const SimTime ended = boundary_;
    const std::int64_t number = next / interval_ + 1;
    std::int64_t boundary = 0;
    boundary_ = __builtin_mul_overflow(number, interval_.count(), &boundary) ? time_never : SimTime{boundary};
    recorder_->flush(ended);
  }

 private:
  Recorder* recorder_;
  SimTime interval_;
  SimTime boundary_ = time_never;
};

}  // namespace lightrail

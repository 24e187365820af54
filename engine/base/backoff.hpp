#pragma once
#include "engine/base/core_watch.hpp"

namespace lightrail {

/// One wait by polling: `Backoff backoff(this_core()); while (!is_done()) backoff.pause();`
///
/// On a core of its own a process looks again at once, then yields between looks, and so misses nothing. On a
/// core that others want it yields at once, so that ranks of one core take turns within microseconds, and
/// then naps, longer the longer it has waited: among processes that never wait, a rank that has yielded comes
/// back when their time slices have ended, one that wakes up much sooner.
class Backoff {
 public:
  enum class Step { look_again, yield, nap };

  explicit Backoff(CoreWatch& core) : core_(&core) {}
  /// What was waited for is not there: lets time pass.
  void pause();

  /// What to do after a wait of `waited_s` [s].
  [[nodiscard]] static Step step_after(double waited_s, bool is_shared);
  /// How long to nap after a wait of `waited_s` [s]: a quarter of it, 20 us to 0.5 ms.
  [[nodiscard]] static double nap_after(double waited_s);

 private:
  void note_lost_time(double now_s);

  CoreWatch* core_;
  bool has_begun_ = false, is_yielding_ = false;
  double begin_s_ = 0, last_s_ = 0;
  double yields_from_s_ = 0, processor_s_ = 0;  ///< wall and processor time up to which losses are known
};

}  // namespace lightrail

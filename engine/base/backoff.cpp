#include "engine/base/backoff.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <ctime>

namespace lightrail {
namespace {

constexpr double own_core_s = 100e-6;     // spins so long before it yields
constexpr double shared_core_s = 150e-6;  // yields so long before it naps: some turns of the ranks of a core

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double processor_seconds() {
  return seconds(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace

CoreWatch& this_core() {
  static CoreWatch watch = [] {
    prctl(PR_SET_TIMERSLACK, 1);  // else every nap lasts 50 us longer
    return CoreWatch{};
  }();
  return watch;
}

Backoff::Step Backoff::step_after(double waited_s, bool is_shared) {
  if (is_shared) return waited_s < shared_core_s ? Step::yield : Step::nap;
  return waited_s < own_core_s ? Step::look_again : Step::yield;
}

double Backoff::nap_after(double waited_s) {
  return std::clamp(waited_s / 4, 20e-6, 500e-6);
}

void Backoff::pause() {
  const double now_s = seconds(CLOCK_MONOTONIC);
  if (!has_begun_) has_begun_ = true, begin_s_ = now_s;
  switch (step_after(now_s - begin_s_, core_->is_shared(now_s))) {
    case Step::look_again:
      return;
    case Step::yield:
      note_lost_time(now_s);
      sched_yield();
      return;
    case Step::nap: {
      const timespec nap{0, static_cast<long>(1e9 * nap_after(now_s - begin_s_))};
      nanosleep(&nap, nullptr);
      is_yielding_ = false;
      return;
    }
  }
}

/// A long time between two yields is lost unless the process was running, as while it copies a message.
void Backoff::note_lost_time(double now_s) {
  if (!is_yielding_) {
    is_yielding_ = true;
    yields_from_s_ = now_s;
    processor_s_ = processor_seconds();
  } else if (now_s - last_s_ >= CoreWatch::least_lost_s) {
    const double processor_s = processor_seconds();
    core_->note_lost((now_s - yields_from_s_) - (processor_s - processor_s_), now_s);
    yields_from_s_ = now_s;
    processor_s_ = processor_s;
  }
  last_s_ = now_s;
}

}  // namespace lightrail

#pragma once

namespace lightrail {

/// Whether this process has its core to itself. Times are of a steady clock [s]. They decide how a process
/// waits, never what it computes.
class CoreWatch {
 public:
  /// More processes that poll than cores: the core is shared for good.
  void set_crowded() { is_crowded_ = true; }
  /// Others had the core for `lost_s` up to `now_s`, although this process wanted to run.
  void note_lost(double lost_s, double now_s) {
    if (lost_s >= least_lost_s) shared_until_s_ = now_s + memory_s;
  }
  [[nodiscard]] bool is_shared(double now_s) const { return is_crowded_ || now_s < shared_until_s_; }

  static constexpr double least_lost_s = 0.5e-3;  ///< interrupts and the like take less
  static constexpr double memory_s = 0.25;        ///< then it is found out anew, which takes a time slice

 private:
  bool is_crowded_ = false;
  double shared_until_s_ = 0;
};

/// The one of this process: the operating system, too, gives it one share of the machine.
CoreWatch& this_core();

}  // namespace lightrail

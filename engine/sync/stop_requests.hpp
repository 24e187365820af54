#pragma once
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>

namespace lightrail {

/// What asks a run to stop early: SIGINT, SIGTERM, SIGUSR1 and the wall clock. The code travels in the
/// window's reduction, so that all ranks stop at the same window. While an object lives it owns the signal
/// handlers; one that begins while another lives knows of the signals that came since that one began.
class StopRequests {
 public:
  StopRequests(bool catch_signals, double exit_after_s);
  ~StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

  /// 0: none; a signal number; or exit_after.
  [[nodiscard]] std::int64_t code() const;
  [[nodiscard]] static std::string name(std::int64_t code);
  static constexpr std::int64_t exit_after = 1000;

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGUSR1};
  bool catches_;
  std::chrono::steady_clock::time_point deadline_;
  struct sigaction before_[3];
};

}  // namespace lightrail

#include "engine/sync/stop_requests.hpp"

namespace lightrail {
namespace {

volatile std::sig_atomic_t caught = 0;

void remember(int signal) {
  caught = signal;
}

}  // namespace

StopRequests::StopRequests(bool catch_signals, double exit_after_s) : catches_(catch_signals) {
  using std::chrono::steady_clock;
  deadline_ = steady_clock::time_point::max();
  if (exit_after_s > 0 && exit_after_s < 1e9)
    deadline_ = steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(
                                          std::chrono::duration<double>(exit_after_s));
  if (!catches_) return;
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 3; ++i) sigaction(signals[i], &action, &before_[i]);
}

StopRequests::~StopRequests() {
  if (!catches_) return;
  for (int i = 0; i < 3; ++i) sigaction(signals[i], &before_[i], nullptr);
  caught = 0;
}

std::int64_t StopRequests::code() const {
  if (catches_ && caught != 0) return caught;
  return std::chrono::steady_clock::now() >= deadline_ ? exit_after : 0;
}

std::string StopRequests::name(std::int64_t code) {
  switch (code) {
    case 0:
      return "";
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGUSR1:
      return "SIGUSR1";
    case exit_after:
      return "exit-after";
    default:
      return "signal " + std::to_string(code);
  }
}

}  // namespace lightrail
